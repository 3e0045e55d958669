//! Connections, and their bounds.

use crate::body::{AnswerBody, BodyMemory};
use crate::form;
use crate::places::{Place, Places};
use crate::request::Request;
use crate::sender::Sender;
use crate::watched_stream::WatchedStream;
use hyper::body::Incoming;
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// Connections at a time: a few people and a few collectors. One more takes the place of that which has waited longest
/// without asking for anything; it is closed at once if there is none.
const MAX_CONNECTIONS: usize = 64;
/// Answers that are made at a time: each goes through all regions. So many of those that wait for others, and as many of those
/// that do not.
const ANSWERS_AT_ONCE: usize = 2;
/// The time that a request waits for its turn.
const TURN_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of a request's head, and of what is read ahead: an address of 64 KiB, the longest that there is (`http::Uri`), which
/// holds HBase's longest row key (32,767 bytes) in base64, and 16 KiB of fields. 5 MiB if all connections send such heads.
const MAX_HEAD_BYTES: usize = (64 + 16) << 10;
/// Fields of a request's head.
const MAX_HEADERS: usize = 64;
/// The time for a request's head, from the end of the former answer on.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// After this time a connection ends with the answer that is on its way: nobody keeps one for ever.
const CONNECTION_TIME: Duration = Duration::from_secs(120);
/// The time for that answer.
const LAST_ANSWER_TIME: Duration = Duration::from_secs(10);
/// Pause after an accept that failed, mostly for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// What a page may load and do: what is here, and nothing else. No script but ours runs, even if one came into a page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// What is sent with each answer. Where a link leads to is not told where we come from: row keys are in our addresses.
const HEADERS: [(HeaderName, &str); 3] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (CONTENT_SECURITY_POLICY, POLICY),
    (REFERRER_POLICY, "same-origin"),
];

const NOT_OUR_NAME: &str = "this server does not go by the name that it was reached by: use its address, its host name, or localhost\n";

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// HTTP's status.
    pub status: u16,
    /// What the body is.
    pub content_type: &'static str,
    /// The body.
    pub body: String,
    /// For how long it may be kept, s; 0: it is asked for each time.
    pub max_age_s: u32,
    /// Where to look instead.
    pub location: Option<String>,
}

impl Answer {
    /// A found page.
    pub fn ok(content_type: &'static str, body: String) -> Self {
        Self { status: 200, content_type, body, max_age_s: 0, location: None }
    }

    /// What was asked for is done, and is to be seen there.
    pub fn see(location: String) -> Self {
        Self { location: Some(location), ..Self::failed(303, "done\n") }
    }

    /// There is no such page.
    pub fn not_found() -> Self {
        Self::failed(404, "not found\n")
    }

    /// It cannot be had: a status, and why in a line.
    pub fn failed(status: u16, text: &str) -> Self {
        Self { status, ..Self::ok("text/plain; charset=utf-8", text.to_owned()) }
    }
}

/// What there is to see.
pub trait Pages: Send + Sync + 'static {
    /// Answers a request, on a thread that may block.
    fn answer(&self, request: &Request) -> Answer;

    /// Whether forms are sent to this path.
    fn takes_forms(&self, path: &str) -> bool {
        let _ = path;
        false
    }

    /// Whether what is at this path is for anybody who reaches the server, by whatever name. Everything else is for who calls it
    /// by its address or one of its own names: see [`WebServer::known_as`].
    fn is_for_any_name(&self, path: &str) -> bool {
        let _ = path;
        false
    }

    /// Whether an answer of this path may wait for others, as for a master. Such answers have turns of their own.
    fn waits_for_others(&self, path: &str) -> bool {
        let _ = path;
        false
    }
}

/// An HTTP server of some pages. Cheap to clone; clones share their bounds.
#[derive(Clone)]
pub struct WebServer {
    pages: Arc<dyn Pages>,
    places: Arc<Places>,
    turns: Arc<Semaphore>,
    /// Of answers that wait for others.
    waiting_turns: Arc<Semaphore>,
    bodies: BodyMemory,
    names: Arc<[String]>,
}

impl WebServer {
    /// A server of `pages`.
    pub fn new(pages: Arc<dyn Pages>) -> Self {
        Self {
            pages,
            places: Places::new(MAX_CONNECTIONS),
            turns: Arc::new(Semaphore::new(ANSWERS_AT_ONCE)),
            waiting_turns: Arc::new(Semaphore::new(ANSWERS_AT_ONCE)),
            bodies: BodyMemory::new(),
            names: Arc::default(),
        }
    }

    /// The names that the server goes by, besides its addresses and `localhost`. A site on the Internet that
    /// gives its own name the address of this server (DNS rebinding) has a browser call it by another one, and could read what
    /// is answered.
    #[must_use]
    pub fn known_as(self, names: impl IntoIterator<Item = String>) -> Self {
        Self { names: names.into_iter().collect(), ..self }
    }

    /// Serves until `shutdown` is ready; connections end with it. Nothing that happens here ends the server sooner.
    pub async fn serve(self, listener: TcpListener, shutdown: impl Future<Output = ()>) {
        let mut shutdown = pin!(shutdown);
        let mut connections = tokio::task::JoinSet::new();
        loop {
            let accepted = tokio::select! {
                () = &mut shutdown => return,
                Some(_) = connections.join_next() => continue,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, remote)) => match self.places.take() {
                    Some(place) => {
                        let server = self.clone();
                        connections.spawn(async move { server.connection(stream, Arc::new(place)).await });
                    }
                    None => {
                        tracing::debug!(%remote, "refused: {MAX_CONNECTIONS} connections are being answered");
                    }
                },
                Err(error) => {
                    tracing::debug!(%error, "accept");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    async fn connection(&self, stream: TcpStream, place: Arc<Place>) {
        let service = service_fn(|request: hyper::Request<Incoming>| {
            let place = Arc::clone(&place);
            async move {
                place.asked();
                let response = self.response(request).await;
                place.answered();
                Ok::<_, Infallible>(response)
            }
        });
        let stream = WatchedStream { stream, place: Arc::clone(&place) };
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIMEOUT)
            .max_buf_size(MAX_HEAD_BYTES)
            .max_headers(MAX_HEADERS)
            .serve_connection(TokioIo::new(stream), service);
        let in_time = async {
            let mut connection = pin!(connection);
            tokio::select! {
                // What goes wrong with a connection is its client's.
                _ = &mut connection => {}
                () = tokio::time::sleep(CONNECTION_TIME) => {
                    connection.as_mut().graceful_shutdown();
                    let _ = tokio::time::timeout(LAST_ANSWER_TIME, connection).await;
                }
            }
        };
        tokio::select! {
            () = in_time => {}
            () = place.lost() => tracing::debug!("closed: it asked for nothing, and another connection came"),
        }
    }

    async fn response(&self, request: hyper::Request<Incoming>) -> Response<AnswerBody> {
        let mut asked = Request::parse(request.uri().path(), request.uri().query());
        let sender = Sender::of(request.headers(), &self.names);
        if sender.to_other_name && !self.pages.is_for_any_name(&asked.path) {
            return response(Answer::failed(403, NOT_OUR_NAME));
        }
        let takes_forms = self.pages.takes_forms(&asked.path);
        match request.method() {
            &Method::GET | &Method::HEAD => {}
            &Method::POST if takes_forms => {
                if sender.from_other_site {
                    return response(Answer::failed(403, form::OF_OTHER_SITE));
                }
                match form::read(request).await {
                    Ok(fields) => asked.form = Some(fields),
                    Err(failure) => return response(failure),
                }
            }
            _ => return not_allowed(if takes_forms { "GET, HEAD, POST" } else { "GET, HEAD" }),
        }
        let mut answer = self.answer(asked).await;
        match self.bodies.hold(std::mem::take(&mut answer.body)) {
            Some(body) => response(answer).map(|_| body),
            None => response(Answer::failed(
                503,
                "answers that others have not read yet take all memory: try again\n",
            )),
        }
    }

    async fn answer(&self, request: Request) -> Answer {
        let pages = Arc::clone(&self.pages);
        let turns = if pages.waits_for_others(&request.path) { &self.waiting_turns } else { &self.turns };
        // Never closed.
        let Ok(turn) = tokio::time::timeout(TURN_TIMEOUT, Arc::clone(turns).acquire_owned()).await else {
            return Answer::failed(
                503,
                "other answers take long, as those do that wait for the master: try again\n",
            );
        };
        let made = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            pages.answer(&request)
        });
        made.await.unwrap_or_else(|error| {
            tracing::error!(%error, "a page could not be made");
            Answer::failed(500, "internal error\n")
        })
    }
}

fn not_allowed(methods: &'static str) -> Response<AnswerBody> {
    let mut response = response(Answer::failed(405, &format!("only {methods}\n")));
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
    response
}

fn response(answer: Answer) -> Response<AnswerBody> {
    let mut response = Response::new(AnswerBody::from(answer.body));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(answer.content_type));
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let cache = match answer.max_age_s {
        0 => HeaderValue::from_static("no-store"),
        seconds => HeaderValue::try_from(format!("max-age={seconds}")).expect("digits are a value"),
    };
    headers.insert(CACHE_CONTROL, cache);
    // One that is no value of a head is left away.
    if let Some(location) = answer.location.and_then(|location| HeaderValue::try_from(location).ok()) {
        headers.insert(LOCATION, location);
    }
    response
}
