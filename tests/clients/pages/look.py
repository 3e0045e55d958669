"""Looks at the web page of a running server as people do: python3 look.py CHROMIUM INFO_PORT DIRECTORY COMMAND...

COMMAND runs statements of HBase's shell that it reads from its standard input against the server. Screenshots are left in
DIRECTORY. Says what is not as it should be, and how many checks there were.
"""

import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from browser import Browser

PROGRAM, PORT, DIRECTORY, SHELL = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
SERVER = f"http://127.0.0.1:{PORT}"
TABLE = "looked_at"
HOSTILE = "<script>window.bad=1</script><img src=x onerror=window.bad=2>\"'&"
# Bytes of a row whose place clients can ask hbase:meta for, by a key of at most 32767.
LONGEST_KEY = 32700
PAGES = ["/", "/tables", f"/table?name={TABLE}", "/regions", "/tasks", "/slow", "/configuration", "/logLevel", f"/rows?table={TABLE}"]
# By WCAG 2.2, level AA.
LEAST_CONTRAST = 4.5
LEAST_TARGET_PX = 24
# Seconds for an answer without a browser.
ANSWER_LIMIT_S = 60
# A busy machine may keep a page from being complete in time.
ATTEMPTS = 3

checks, wrong = 0, []


def check(is_so, what):
    global checks
    checks += 1
    if not is_so:
        wrong.append(what)


def shell(*statements):
    done = subprocess.run(SHELL, input="\n".join(statements) + "\n", text=True, capture_output=True, timeout=240)
    if done.returncode != 0:
        raise SystemExit(f"WRONG the shell: {done.stdout} {done.stderr}")


# The least contrast of the texts of a page with what is behind them, and of which.
CONTRAST = """(() => {
  const channels = color => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
    .reduce((sum, c, at) => sum + c * [.2126, .7152, .0722][at], 0);
  const behind = element => {
    for (; element; element = element.parentElement) {
      const color = channels(getComputedStyle(element).backgroundColor);
      if (color.length < 4 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  let least = [99, ""];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.closest("script, style, .unseen, .skip")) continue;
    const [a, b] = [light(channels(getComputedStyle(element).color)), light(behind(element))];
    const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (contrast < least[0]) least = [contrast, element.outerHTML.slice(0, 80)];
  }
  return least;
})()"""

# Links and buttons outside of text that are too small for a finger.
SMALL_TARGETS = f"""[...document.querySelectorAll("nav a, button, input:not([type=hidden], [type=checkbox])")]
  .filter(one => one.getBoundingClientRect().height < {LEAST_TARGET_PX}).map(one => one.outerHTML.slice(0, 80))"""


SCREENS = [("desktop-light", 1280, 900, False, False), ("desktop-dark", 1280, 900, False, True),
           ("phone-light", 360, 740, True, False), ("phone-dark", 360, 740, True, True)]
SHOTS = {"/": "overview", f"/rows?table={TABLE}": "rows", f"/table?name={TABLE}": "table", "/configuration": "configuration"}


# Tables that stick out of what they are in, and do not scroll.
WIDE_TABLES = """[...document.querySelectorAll("main table")].filter(one => {
  const around = one.parentElement;
  return getComputedStyle(around).overflowX === "visible"
    && one.getBoundingClientRect().right > around.getBoundingClientRect().right - parseFloat(getComputedStyle(around).paddingRight) + 1;
}).map(one => one.innerText.slice(0, 40))"""


def every_page_fits_every_screen(browser):
    for page in PAGES:
        browser.open(SERVER + page)
        check(browser.run("document.querySelectorAll('h1').length") == 1, f"{page}: not one h1")
        ids = browser.run("(ids => ids.length - new Set(ids).size)([...document.querySelectorAll('[id]')].map(one => one.id))")
        check(ids == 0, f"{page}: an id is there twice")
        for name, *screen in SCREENS:
            browser.device(*screen)
            fits(browser, f"{page} on {name}", is_phone=screen[2], is_dark=screen[3])
            if page in SHOTS:
                browser.screenshot(f"{DIRECTORY}/{SHOTS[page]}-{name}.png")
    browser.device(1280, 900)


def fits(browser, where, is_phone, is_dark):
    check(browser.run("document.documentElement.scrollWidth <= innerWidth"), f"{where}: wider than the screen")
    wide = browser.run(WIDE_TABLES)
    check(not wide, f"{where}: tables stick out: {wide}")
    contrast, text = browser.run(CONTRAST)
    check(contrast >= LEAST_CONTRAST, f"{where}: contrast {contrast:.1f}: {text}")
    if is_phone:
        small = browser.run(SMALL_TARGETS)
        check(not small, f"{where}: too small to touch: {small}")
    background = browser.run("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]")
    check((background < 128) == is_dark, f"{where}: background {background}")


def the_overview_shows_what_there_is(browser):
    browser.open(SERVER + "/")
    # The first sample of a server that was just started.
    browser.wait("document.querySelector('#calls path.data')?.getAttribute('d').length > 0")
    text = browser.run("document.body.innerText")
    for wanted in ("Hottest regions", "Running tasks", "Slow requests", "Memory", "Threads", "Block cache", TABLE):
        check(wanted in text, f"the overview does not have {wanted}")
    check(browser.run("document.querySelectorAll('.tile').length") == 8, "tiles")
    check(browser.run("document.querySelectorAll('.chart svg[aria-label]').length") == 6, "charts")
    check(browser.run("document.querySelector('nav [aria-current=page]').textContent") == "Overview", "where we are")
    for theirs in ("/master-status", "/rs-status", "/procedures.jsp", "/tablesDetailed.jsp", f"/table.jsp?name={TABLE}"):
        browser.open(SERVER + theirs)
        check(browser.run("document.querySelector('header nav') !== null"), f"{theirs} leads nowhere")


def it_is_live(browser):
    browser.open(f"{SERVER}/table?name={TABLE}")
    written = "[...document.querySelectorAll('dt')].find(one => one.textContent === 'Written').nextSibling.textContent"
    before = browser.run(written)
    browser.run("window.stays = document.querySelector('main h1')")
    shell(f"put '{TABLE}', 'row-x', 'd:q', 'v'")
    browser.wait(f"{written} !== '{before}'")
    check(browser.run("window.stays === document.querySelector('main h1')"), "the page was replaced, not refreshed")
    browser.run("document.querySelector('button.live').click()")
    check(browser.run("document.querySelector('button.live').textContent") == "Paused", "it cannot be paused")
    browser.run("document.querySelector('button.live').click()")


def it_can_be_used_by_keyboard(browser):
    browser.open(SERVER + "/")
    focused = "document.activeElement"
    browser.key("Tab")
    check(browser.run(f"{focused}.className") == "skip", "the first stop is not the way to the content")
    check(browser.run(f"{focused}.getBoundingClientRect().width > 50"), "the way to the content is not seen")
    browser.key("Enter", "\r")
    check(browser.run(f"{focused}.id") == "main", "the way to the content does not lead there")
    browser.open(SERVER + "/")
    seen, unseen, is_back = set(), [], False
    for _ in range(200):
        browser.key("Tab")
        what = browser.run(f"""(one => one === document.body ? "" : [one.nodeName, one.className.baseVal ?? one.className, one.id, one.href ?? "", one.textContent.slice(0, 30)].join(" "))({focused})""")
        if not what:
            is_back = True
            break
        seen.add(what)
        if not browser.run(f"(style => style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2)(getComputedStyle({focused}))"):
            unseen.append(what)
    check(is_back, "the end of the page is never reached")
    check(not unseen, f"the focus is not seen on {unseen[:3]}")
    check(len(seen) > 20 and any("BUTTON live" in what for what in seen), f"too few stops: {len(seen)}")
    browser.run("document.querySelector('#calls svg').focus()")
    browser.key("ArrowLeft")
    check(browser.run("document.querySelector('#calls .at').textContent") == "10 s ago", "a chart has no values by keyboard")
    browser.key("Escape")
    check(browser.run("document.querySelector('#calls .at') === null"), "the values of now do not come back")
    browser.open(SERVER + "/tables")
    browser.key("/", "/")
    check(browser.run(f"{focused}.type") == "search", "/ does not lead to the search")


def rows_are_shown_and_harm_nobody(browser):
    browser.open(f"{SERVER}/rows?table={TABLE}&rows=5")
    keys = browser.run("[...document.querySelectorAll('.rows h2 code')].map(one => one.textContent)")
    check(keys == [HOSTILE, "row-0000", "row-0001", "row-0002", "row-0003"], f"rows: {keys}")
    check(browser.run("window.bad === undefined && document.querySelector('main img, main script') === null"), "a row did something")
    value = browser.run("document.querySelector('.rows td.words code').textContent")
    check(value == HOSTILE, f"value: {value}")
    browser.run("window.isOld = true; document.querySelector('.pages [rel=next]').click()")
    browser.loaded()
    check(browser.run("document.querySelector('.rows h2 code').textContent") == "row-0004", "the next rows are others")
    browser.run("document.querySelector('[name=start]').value = 'row-001'; document.querySelector('[name=prefix]').checked = true;"
                "document.querySelector('[name=rows]').value = 100")
    browser.run("window.isOld = true; document.querySelector('form.range button').click()")
    browser.loaded()
    keys = browser.run("[...document.querySelectorAll('.rows h2 code')].map(one => one.textContent)")
    check(keys == [f"row-001{digit}" for digit in range(10)], f"rows with a prefix: {keys}")
    check(browser.run("document.querySelector('.pages [rel=next]') === null"), "there is more with a prefix than there is")
    browser.open(f"{SERVER}/rows?table={TABLE}&start=wide&rows=1")
    cells = browser.run("document.querySelectorAll('.rows tbody tr').length")
    check(cells == 20 and browser.run("document.querySelector('.rows li').innerText.includes('There are more cells')"), f"a wide row: {cells}")


def the_longest_keys_can_be_followed(browser):
    key = "document.querySelector('.rows h2 code').textContent.length"
    browser.open(f"{SERVER}/rows?table={TABLE}&start=%5CxFF")
    browser.device(360, 740, True, False)
    check(browser.run(key) <= 1024, "a long key is shown whole among others")
    fits(browser, "a long key", is_phone=True, is_dark=False)
    browser.run("window.isOld = true; document.querySelector('.rows h2 a').click()")
    browser.loaded()
    check(browser.run(key) == 4 * LONGEST_KEY, f"a long key of {browser.run(key)} characters")
    fits(browser, "a long key alone", is_phone=True, is_dark=False)
    browser.device(1280, 900)
    browser.run("document.querySelector('[name=versions]').value = 2")
    browser.run("window.isOld = true; document.querySelector('form.range button').click()")
    browser.loaded()
    check(browser.run(key) == 4 * LONGEST_KEY, "the form loses a long key")


def without_scripts_it_is_all_there(browser):
    browser.open(SERVER + "/")
    # The event of the page that is there comes after it says that it is complete.
    browser.run("new Promise(done => setTimeout(done, 0))")
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.take("Page.loadEventFired")
    browser.call("Page.navigate", url=SERVER + "/")
    browser.comes("Page.loadEventFired")
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    check(browser.run("document.querySelectorAll('.tile').length === 8 && document.querySelectorAll('.chart path.data').length > 10"), "without scripts")
    check(browser.run("document.querySelector('button.live') === null"), "a button without a script behind it")


level_before = None


def the_level_of_the_log_changes(browser):
    global level_before
    browser.open(SERVER + "/logLevel")
    # A look that failed may have left another level.
    level_before = level_before or browser.run("document.querySelector('#filter-now').textContent")
    for level in ("warn", level_before):
        browser.run(f"window.isOld = true; (field => field.value = '{level}')(document.querySelector('input[name=filter]'));"
                    "document.querySelector('form .search button').click()")
        browser.loaded()
        now = browser.run("document.querySelector('#filter-now').textContent")
        check(now == level, f"the level is {now} and not {level}")
        check("Changed" in browser.run("document.querySelector('main').innerText"), "nobody says that it was changed")
    for fields in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Host": "evil.example", "Origin": "http://evil.example"}):
        status = answered(urllib.request.Request(SERVER + "/logLevel", b"filter=trace", fields))
        check(status == 403, f"{fields}: {status}")
    for page in PAGES:
        check(answered(urllib.request.Request(SERVER + page, None, {"Host": "evil.example"})) == 403, f"{page} for another name")
    check(answered(urllib.request.Request(SERVER + "/metrics", None, {"Host": "collector.example"})) == 200, "metrics for another name")
    check(answered(urllib.request.Request(SERVER + "/logLevel?log=a&level=debug")) == 400, "a level is changed by GET")


def answered(request):
    try:
        return urllib.request.urlopen(request, timeout=ANSWER_LIMIT_S).status
    except urllib.error.HTTPError as error:
        return error.code


def nothing_else_was_asked_for(browser):
    """No other server, and nothing that the pages' own policy forbids."""
    browser.run("1")
    others = {event["request"]["url"] for event in browser.take("Network.requestWillBeSent")}
    others = {url for url in others if not url.startswith((SERVER, "about:", "data:"))}
    check(not others, f"asked for {others}")
    complaints = [event["entry"]["text"] for event in browser.take("Log.entryAdded")]
    check(not complaints, f"the browser complains: {complaints[:3]}")
    errors = [event["exceptionDetails"]["text"] for event in browser.take("Runtime.exceptionThrown")]
    check(not errors, f"a script failed: {errors[:3]}")


def looked_at(browser, look):
    """Looks again if something was wrong. The last time counts."""
    global checks
    # Events are there once.
    attempts = 1 if look is nothing_else_was_asked_for else ATTEMPTS
    before = checks, len(wrong)
    for left in reversed(range(attempts)):
        begun = time.monotonic()
        try:
            look(browser)
        except Exception as error:
            check(False, f"{look.__name__}: {error!r}")
        print(f"{look.__name__}: {time.monotonic() - begun:.1f} s")
        found = wrong[before[1]:]
        if not found or not left:
            break
        print(f"again, after: {found}")
        checks = before[0]
        del wrong[before[1]:]
        as_before(browser)
    for what in found:
        print(f"WRONG {what}")


def as_before(browser):
    """What a look may have left that did not come to its end."""
    try:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
        browser.device(1280, 900)
        browser.run("sessionStorage.removeItem('live')")
    except Exception as error:
        print(f"the browser: {error!r}")


def main():
    wide = [f"put '{TABLE}', 'wide', 'd:{number:04}', 'v'" for number in range(60)]
    rows = [f"put '{TABLE}', 'row-{number:04}', 'd:q', 'value {number}'" for number in range(30)]
    hostile = "".join(f"\\x{byte:02X}" for byte in HOSTILE.encode())
    longest = "\\xFF" * LONGEST_KEY
    shell(f"create '{TABLE}', 'd', SPLITS => ['row-0010']", f'put \'{TABLE}\', "{hostile}", "d:{hostile}", "{hostile}"',
          f'put \'{TABLE}\', "{longest}", "d:q", "v"', *rows, *wide)
    profile = tempfile.mkdtemp(prefix="chromium-", dir=DIRECTORY)
    browser = Browser(PROGRAM, profile)
    try:
        browser.device(1280, 900)
        for look in (the_overview_shows_what_there_is, every_page_fits_every_screen, it_can_be_used_by_keyboard, it_is_live,
                     rows_are_shown_and_harm_nobody, the_longest_keys_can_be_followed, without_scripts_it_is_all_there, the_level_of_the_log_changes,
                     nothing_else_was_asked_for):
            looked_at(browser, look)
    finally:
        browser.close()
        shutil.rmtree(profile, ignore_errors=True)
        shell(f"disable '{TABLE}'", f"drop '{TABLE}'")
    print(f"{checks - len(wrong)} of {checks} checks are as they should be")
    return len(wrong) > 0


sys.exit(main())
