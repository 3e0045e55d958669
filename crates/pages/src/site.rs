//! Which page is where.

use crate::layout::{self, Tab, page};
use crate::model::{Refused, Setting};
use crate::overview::Overview;
use crate::parameters::{Parameters, address};
use crate::source::Source;
use crate::{configuration, dump, log_level, region, regions, rows, slow, table, tables, tasks};
use finback_web::{Answer, MetricsPages, Pages, Request};
use maud::{Markup, html};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};

const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
/// Style and script may be kept: their addresses change with them.
const YEAR_S: u32 = 365 * 24 * 3600;
/// How long a page waits for what the master tells: then it shows the rest, and says what did not come.
const PATIENCE: Duration = Duration::from_secs(3);
const LOG_LEVEL: &str = "/logLevel";

/// All pages of a server.
pub struct Site {
    source: Arc<dyn Source>,
    metrics: MetricsPages,
    /// Rows are read for one at a time: somebody who reads leaves the other answers to others.
    reading: Mutex<()>,
}

/// A page: where it stands in the navigation, its title, whether it is refreshed, its content.
struct Page(Option<Tab>, String, bool, Markup);

impl Site {
    /// The pages of `source`; what is no page of ours is asked of `metrics`.
    pub fn new(source: Arc<dyn Source>, metrics: MetricsPages) -> Self {
        Self { source, metrics, reading: Mutex::new(()) }
    }

    fn made(&self, request: &Request, until: Instant) -> Result<Page, Refused> {
        let (source, parameters) = (&self.source, Parameters(request));
        let live = |tab, title: &str, content| Ok(Page(Some(tab), title.to_owned(), true, content));
        let now_ms = || source.identity().now_ms;
        match request.path.as_str() {
            "/" | "/master-status" | "/rs-status" | "/master.jsp" | "/regionserver.jsp" => {
                live(Tab::Overview, "Overview", self.overview(until))
            }
            "/tables" | "/tablesDetailed.jsp" => live(
                Tab::Tables,
                "Tables",
                tables::render(parameters, &source.tables(until)?, &source.regions(), source.shows_rows())?,
            ),
            "/table" | "/table.jsp" => self.table(parameters, until),
            "/regions" => live(Tab::Regions, "Regions", regions::render(parameters, &source.regions())?),
            "/region" | "/region.jsp" => self.region(parameters),
            "/rows" => self.rows(parameters, until),
            "/tasks" | "/procedures.jsp" | "/processMaster.jsp" | "/processRS.jsp" | "/rits.jsp" => {
                let (tasks, status) = (source.tasks(until), source.status(until));
                live(Tab::Tasks, "Tasks", tasks::render(&tasks, &status, now_ms()))
            }
            "/slow" | "/operationDetails.jsp" | "/rsOperationDetails.jsp" => {
                live(Tab::SlowRequests, "Slow requests", slow::render(&source.slow_log(), now_ms()))
            }
            "/configuration" | "/conf" => {
                let content = configuration::render(parameters, &self.settings())?;
                Ok(Page(Some(Tab::Configuration), "Configuration".into(), false, content))
            }
            LOG_LEVEL => self.log_level(parameters),
            _ => Err(Refused::NotFound("there is no such page".to_owned())),
        }
    }

    fn overview(&self, until: Instant) -> Markup {
        let source = &self.source;
        let tables = source.tables(until);
        Overview {
            identity: &source.identity(),
            status: &source.status(until),
            samples: &source.samples(),
            hot: &source.hot_regions(),
            // The first page is there even while the master is not.
            tables: tables.as_deref(),
            regions: &source.regions(),
            tasks: &source.tasks(until),
            slow: &source.slow_log(),
        }
        .render()
    }

    fn table(&self, parameters: Parameters<'_>, until: Instant) -> Result<Page, Refused> {
        let name = parameters.needed("name")?;
        let schema = self.source.schema(name, until)?;
        let content = table::render(parameters, &schema, &self.source.regions(), self.source.shows_rows())?;
        Ok(Page(Some(Tab::Tables), format!("Table {name}"), true, content))
    }

    fn region(&self, parameters: Parameters<'_>) -> Result<Page, Refused> {
        let name = parameters.needed("name")?;
        let regions = self.source.regions();
        let Some(found) = regions.iter().find(|region| region.encoded_name == name) else {
            return Err(Refused::NotFound(format!("no region of the encoded name {name} is open")));
        };
        let source = &self.source;
        let (stores, now_ms) = (source.stores(name)?, source.identity().now_ms);
        let content = region::render(found, &stores, now_ms, source.shows_rows());
        Ok(Page(Some(Tab::Regions), format!("Region {name}"), true, content))
    }

    fn rows(&self, parameters: Parameters<'_>, until: Instant) -> Result<Page, Refused> {
        if !self.source.shows_rows() {
            let message = "this server shows no rows: its setting listen.info-rows is false";
            return Err(Refused::Forbidden(message.to_owned()));
        }
        let range = rows::range(parameters)?;
        let Some(_turn) = self.reading.try_lock() else {
            return Err(Refused::Unavailable(
                "somebody else reads rows at this moment: try again".to_owned(),
            ));
        };
        let content = rows::render(&range, &self.source.rows(&range, until)?);
        Ok(Page(Some(Tab::Tables), format!("Rows of {}", range.table), false, content))
    }

    fn log_level(&self, parameters: Parameters<'_>) -> Result<Page, Refused> {
        if !parameters.text("level")?.is_empty() {
            let message =
                "a level is changed by the form of this page, or by POST: curl -d filter=LEVEL …/logLevel";
            return Err(Refused::BadRequest(message.to_owned()));
        }
        let content = log_level::render(&self.source.log_filter(), parameters.flag("changed"));
        Ok(Page(Some(Tab::Log), "Log".to_owned(), false, content))
    }

    fn changed(&self, form: &[(String, String)]) -> Result<Answer, Refused> {
        let filter = form.iter().find(|(name, _)| name == log_level::FILTER).map(|(_, value)| value.trim());
        match filter {
            None | Some("") => Err(Refused::BadRequest("the form has no filter".to_owned())),
            Some(filter) => {
                self.source.set_log_filter(filter)?;
                Ok(Answer::see(address(LOG_LEVEL, &[("changed", "1")])))
            }
        }
    }

    fn settings(&self) -> Vec<Setting> {
        let mut settings = self.source.settings();
        configuration::mask(&mut settings);
        settings
    }

    fn dump(&self, until: Instant) -> String {
        let source = &self.source;
        dump::render(
            &source.identity(),
            &source.status(until),
            &source.regions(),
            &source.tasks(until),
            &self.settings(),
        )
    }

    fn refused(&self, refused: &Refused) -> Answer {
        let (status, title) = match refused {
            Refused::BadRequest(_) => (400, "This is not understood"),
            Refused::Forbidden(_) => (403, "Not for you"),
            Refused::NotFound(_) => (404, "There is nothing here"),
            Refused::Unavailable(_) => (503, "Not now"),
        };
        let content =
            html! { h1 { (title) } p { (refused.why()) "." } p { a href="/" { "To the overview" } } };
        let body = page(&self.source.identity(), None, title, false, &content);
        Answer { status, ..Answer::ok(HTML, body) }
    }
}

impl Pages for Site {
    fn answer(&self, request: &Request) -> Answer {
        if let Some(form) = &request.form {
            return self.changed(form).unwrap_or_else(|refused| self.refused(&refused));
        }
        let until = Instant::now() + PATIENCE;
        let asset = |kind, text: &str| Answer { max_age_s: YEAR_S, ..Answer::ok(kind, text.to_owned()) };
        match (request.path.as_str(), request.parameter("format")) {
            ("/style.css", _) => return asset("text/css; charset=utf-8", layout::STYLE),
            ("/page.js", _) => return asset("text/javascript; charset=utf-8", layout::SCRIPT),
            ("/sign.svg" | "/favicon.ico", _) => return asset("image/svg+xml", layout::SIGN),
            ("/jmx" | "/metrics", _) => return self.metrics.answer(request),
            ("/dump", _) => return Answer::ok(TEXT, self.dump(until)),
            ("/rs-status" | "/master-status", Some("json")) => {
                return Answer::ok(
                    JSON,
                    tasks::for_programs(&self.source.tasks(until), self.source.identity().now_ms),
                );
            }
            ("/conf", Some(format)) => return configuration::for_programs(format, &self.settings()),
            _ => {}
        }
        match self.made(request, until) {
            Ok(Page(tab, title, live, content)) => {
                Answer::ok(HTML, page(&self.source.identity(), tab, &title, live, &content))
            }
            Err(refused) => self.refused(&refused),
        }
    }

    fn takes_forms(&self, path: &str) -> bool {
        path == LOG_LEVEL
    }

    /// Collectors have their own names for a server, and style is nobody's secret.
    fn is_for_any_name(&self, path: &str) -> bool {
        matches!(path, "/metrics" | "/jmx" | "/style.css" | "/page.js" | "/sign.svg" | "/favicon.ico")
    }

    /// All but what this process knows by itself. Reading rows takes long too.
    fn waits_for_others(&self, path: &str) -> bool {
        let is_known_here = matches!(
            path,
            "/regions"
                | "/region"
                | "/region.jsp"
                | "/slow"
                | "/operationDetails.jsp"
                | "/rsOperationDetails.jsp"
                | "/configuration"
                | "/conf"
                | "/style.css"
                | "/page.js"
                | "/sign.svg"
                | "/favicon.ico"
                | LOG_LEVEL
        );
        !is_known_here
    }
}
