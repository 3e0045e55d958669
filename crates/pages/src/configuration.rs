//! The settings that are in effect, and where each came from.

use crate::layout::{nothing, scrolling};
use crate::model::{Refused, Setting};
use crate::parameters::{Parameters, address};
use crate::tables::search;
use finback_json::JsonText;
use finback_web::Answer;
use maud::{Markup, html};
use std::fmt::Write;

/// Words in the names of settings whose values nobody is to see.
const SECRET: [&str; 6] = ["password", "passwd", "secret", "credential", "token", "keytab"];
/// In place of such a value.
const MASK: &str = "********";

/// Hides the values of settings that may be secrets.
pub(crate) fn mask(settings: &mut [Setting]) {
    for setting in settings {
        let name = setting.name.to_lowercase();
        if SECRET.iter().any(|word| name.contains(word)) && !setting.value.is_empty() {
            MASK.clone_into(&mut setting.value);
        }
    }
}

/// The page of settings.
pub(crate) fn render(parameters: Parameters<'_>, settings: &[Setting]) -> Result<Markup, Refused> {
    let find = parameters.text("q")?;
    let (only, only_set) = parameters.choice("only", &[("all", false), ("set", true)])?;
    let is_set = |setting: &Setting| setting.value != setting.default;
    let wanted = |setting: &&Setting| {
        (!only_set || is_set(setting)) && (setting.name.contains(find) || setting.meaning.contains(find))
    };
    let found: Vec<_> = settings.iter().filter(wanted).collect();
    Ok(html! {
        h1 { "Configuration" }
        (search("/configuration", find, "Part of a name or meaning", &[("only", only)]))
        p {
            @if only_set { a href=(address("/configuration", &[("q", find)])) { "All settings" } }
            @else { a href=(address("/configuration", &[("q", find), ("only", "set")])) { "Only what is not the default" } }
        }
        @if found.is_empty() { (nothing("No setting fits.")) } @else {
            (scrolling("Settings", &html! {
                table.settings {
                    thead { tr { th { "Setting" } th { "Value" } th { "From" } } }
                    tbody {
                        @for setting in found {
                            tr.odd[is_set(setting)] {
                                td.words { code { (setting.name) } @if !setting.meaning.is_empty() { p.meaning { (setting.meaning) } } }
                                td.words { b { (value(&setting.value)) } " " span.faint { (setting.unit) }
                                    @if is_set(setting) { p.meaning { "default: " (value(&setting.default)) } } }
                                td.words { (setting.origin) }
                            }
                        }
                    }
                }
            }))
        }
    })
}

fn value(value: &str) -> Markup {
    html! { @if value.is_empty() { span.faint { "none" } } @else { (value) } }
}

/// In the forms of HBase's `/conf`.
pub(crate) fn for_programs(format: &str, settings: &[Setting]) -> Answer {
    match format {
        "json" => Answer::ok("application/json; charset=utf-8", json(settings)),
        _ => Answer::ok("text/xml; charset=utf-8", xml(settings)),
    }
}

fn json(settings: &[Setting]) -> String {
    let mut text = String::from("{\"properties\":[");
    for (at, setting) in settings.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        // Into a text nothing fails.
        let _ = write!(
            text,
            "{comma}\n{{\"key\":{},\"value\":{},\"isFinal\":false,\"resource\":{}}}",
            JsonText::new(&setting.name),
            JsonText::new(&setting.value),
            JsonText::new(&setting.origin)
        );
    }
    text.push_str("\n]}\n");
    text
}

fn xml(settings: &[Setting]) -> String {
    // XML knows no other control characters, however they are written.
    let clean = |text: &str| {
        text.replace(|character: char| character.is_control() && !"\t\n\r".contains(character), "\u{fffd}")
    };
    let properties = html! {
        @for setting in settings {
            "\n" property { name { (clean(&setting.name)) } value { (clean(&setting.value)) } final { "false" } source { (clean(&setting.origin)) } }
        }
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<configuration>{}\n</configuration>\n",
        properties.into_string()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(name: &str, value: &str) -> Setting {
        Setting { name: name.into(), value: value.into(), origin: "a \"file\"".into(), ..Setting::default() }
    }

    #[test]
    fn secrets_are_masked() {
        let names = ["ssl.keystore.Password", "hbase.client.secret", "x.keytab.file", "hbase.rootdir"];
        let mut settings = names.map(|name| setting(name, "value"));
        mask(&mut settings);
        assert_eq!(settings.map(|setting| setting.value), [MASK, MASK, MASK, "value"]);
        let mut empty = [setting("a.password", "")];
        mask(&mut empty);
        assert_eq!(empty[0].value, "");
    }

    #[test]
    fn programs_get_what_they_can_parse() {
        let settings = [setting("a<b>", "1 & \u{1}\\\n"), setting("c", "")];
        let xml = for_programs("xml", &settings).body;
        assert!(xml.contains("<name>a&lt;b&gt;</name><value>1 &amp; \u{fffd}\\\n</value>"), "{xml}");
        let json = for_programs("json", &settings).body;
        assert!(
            json.contains(
                r#"{"key":"a<b>","value":"1 & \u0001\\\n","isFinal":false,"resource":"a \"file\""}"#
            ),
            "{json}"
        );
    }
}
