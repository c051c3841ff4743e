//! From a request to what is asked for. Each passes the gate first, and each answer says what a browser may do with it.

use super::changes;
use super::gate::{Gate, Refusal};
use super::jobs::Jobs;
use super::site::{Answer, Made, Part, Place, Posted, Verb, Wanted};
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, FromRequest as _, Path, Query, Request, State};
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::IntoResponse as _;
use axum::routing::{get, post};
use axum::{Form, Router};
use redraft_facts::ticket::Scope;
use redraft_reports::html::escaped;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};

/// More than anybody types into a form.
const BODY_BYTES_MAX: usize = 128 * 1024;
/// How long a form may take to arrive.
const BODY_WAIT: Duration = Duration::from_secs(10);
/// How long a page may take to be made.
const PAGE_WAIT: Duration = Duration::from_secs(60);
/// How many pages may wait for changes at once.
pub(super) const STREAMS_MAX: usize = 24;

/// What a page may do: load our style, run our script, ask us and send forms to us. Nothing from elsewhere, nothing
/// inline, in no frame.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
    form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("live.js");
const ICON: &str = include_str!("icon.svg");

pub(super) struct Shared {
    pub(super) gate: Gate,
    pub(super) jobs: Jobs,
    pub(super) version: watch::Receiver<u64>,
    pub(super) streams: Arc<Semaphore>,
    /// Told once, when somebody has used the address.
    pub(super) entered: tokio::sync::mpsc::Sender<()>,
}

impl Shared {
    fn made(&self) -> Made {
        Made { form: self.gate.keys.form().to_owned(), version: *self.version.borrow() }
    }
}

pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(board))
        .route("/enter/{word}", get(enter))
        .route("/feature/{scope}", get(overview))
        .route("/feature/{scope}/{part}", get(part))
        .route("/feature/{scope}/{part}/{which}", get(part_of))
        .route("/feature/{scope}/decide", post(decide))
        .route("/feature/{scope}/comment", post(comment))
        .route("/style.css", get(async || kept("text/css; charset=utf-8", style())))
        .route("/live.js", get(async || kept("text/javascript; charset=utf-8", SCRIPT.to_owned())))
        .route("/icon.svg", get(async || kept("image/svg+xml", ICON.to_owned())))
        .route("/changes", get(changed))
        .fallback(async || refused(Refusal::Missing))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(from_fn_with_state(Arc::clone(&shared), guarded))
        .with_state(shared)
}

fn style() -> String {
    format!("{}\n{STYLE}", redraft_reports::html::STYLE)
}

/// The gate before everything, and what is said to the browser after everything.
async fn guarded(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let mut response = match shared.gate.admit(&parts) {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(refusal) => refused(refusal),
    };
    // What the router itself refuses is told like everything else.
    if response.status() == StatusCode::METHOD_NOT_ALLOWED && response.headers().contains_key(header::ALLOW) {
        response = refused(Refusal::Method);
    }
    let said = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // With `no-referrer` a browser would hide the Origin of our own forms.
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in said {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// A page for whom nothing is served; it needs no style, which is not served either.
pub(super) fn refused(refusal: Refusal) -> Response<Body> {
    let said = escaped(refusal.in_words());
    let page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Redraft</title></head>\
            <body><main><h1>Redraft</h1><p>{said}</p></main></body></html>\n"
    );
    (refusal.status(), [(header::CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response()
}

fn kept(sort: &'static str, text: String) -> Response<Body> {
    ([(header::CONTENT_TYPE, sort)], text).into_response()
}

fn shown(answer: Answer) -> Response<Body> {
    match answer {
        Answer::Page { status, html } => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], html).into_response()
        }
        Answer::SeeOther(path) => (StatusCode::SEE_OTHER, [(header::LOCATION, path)]).into_response(),
    }
}

async fn enter(State(shared): State<Arc<Shared>>, Path(word): Path<String>) -> Response<Body> {
    let Some(cookie) = shared.gate.keys.enter(&word) else { return refused(Refusal::Used) };
    // Nobody listens any more when the server ends.
    let _ = shared.entered.try_send(());
    let cookie = format!("{}={cookie}; Path=/; HttpOnly; SameSite=Strict", shared.gate.cookie_name());
    (StatusCode::SEE_OTHER, [(header::LOCATION, "/".to_owned()), (header::SET_COOKIE, cookie)])
        .into_response()
}

type Asked = Query<BTreeMap<String, String>>;

async fn board(State(shared): State<Arc<Shared>>, Query(query): Asked) -> Response<Body> {
    page(&shared, Place::Board, query).await
}

async fn overview(
    State(shared): State<Arc<Shared>>,
    Path(scope): Path<String>,
    Query(query): Asked,
) -> Response<Body> {
    feature(&shared, &scope, Part::Overview, None, query).await
}

async fn part(
    State(shared): State<Arc<Shared>>,
    Path((scope, part)): Path<(String, String)>,
    Query(query): Asked,
) -> Response<Body> {
    let Some(part) = named(&part) else { return refused(Refusal::Missing) };
    feature(&shared, &scope, part, None, query).await
}

async fn part_of(
    State(shared): State<Arc<Shared>>,
    Path((scope, part, which)): Path<(String, String, String)>,
    Query(query): Asked,
) -> Response<Body> {
    let Some(part) = named(&part) else { return refused(Refusal::Missing) };
    feature(&shared, &scope, part, Some(which), query).await
}

fn named(word: &str) -> Option<Part> {
    Part::ALL.into_iter().find(|part| *part != Part::Overview && part.path() == word)
}

/// A feature or a review. What is written in another way than we write it is not found.
fn scope_of(word: &str) -> Option<Scope> {
    let scope: Scope = word.parse().ok()?;
    let is_shown = matches!(scope, Scope::Feature(_) | Scope::Review(_));
    Some(scope).filter(|scope| is_shown && scope.to_string() == word)
}

async fn feature(
    shared: &Shared,
    scope: &str,
    part: Part,
    which: Option<String>,
    query: BTreeMap<String, String>,
) -> Response<Body> {
    let Some(scope) = scope_of(scope) else { return refused(Refusal::Missing) };
    page(shared, Place::Feature { scope, part, which }, query).await
}

async fn page(shared: &Shared, place: Place, query: BTreeMap<String, String>) -> Response<Body> {
    let wanted = Wanted { place, query, made: shared.made() };
    match tokio::time::timeout(PAGE_WAIT, shared.jobs.page(wanted)).await {
        Ok(Some(answer)) => shown(answer),
        Ok(None) => refused(Refusal::Busy),
        Err(_) => refused(Refusal::Slow),
    }
}

async fn decide(state: State<Arc<Shared>>, path: Path<String>, request: Request) -> Response<Body> {
    posted(state, path, Verb::Decide, request).await
}

async fn comment(state: State<Arc<Shared>>, path: Path<String>, request: Request) -> Response<Body> {
    posted(state, path, Verb::Comment, request).await
}

async fn posted(
    State(shared): State<Arc<Shared>>,
    Path(scope): Path<String>,
    verb: Verb,
    request: Request,
) -> Response<Body> {
    let Some(scope) = scope_of(&scope) else { return refused(Refusal::Missing) };
    let read = Form::<Vec<(String, String)>>::from_request(request, &());
    let fields = match tokio::time::timeout(BODY_WAIT, read).await {
        Ok(Ok(Form(fields))) => fields,
        Ok(Err(error)) if error.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            return refused(Refusal::TooLarge);
        }
        Ok(Err(_)) => return refused(Refusal::Form),
        Err(_) => return refused(Refusal::Slow),
    };
    let hidden = fields.iter().find(|(name, _)| name == "form").map(|(_, word)| word.as_str());
    if !hidden.is_some_and(|word| shared.gate.keys.is_form(word)) {
        return refused(Refusal::Origin);
    }
    // It is not cut short: the program that is started has a limit of its own.
    match shared.jobs.write(Posted { scope, verb, fields, made: shared.made() }).await {
        Some(answer) => shown(answer),
        None => refused(Refusal::Busy),
    }
}

async fn changed(State(shared): State<Arc<Shared>>) -> Response<Body> {
    match Arc::clone(&shared.streams).try_acquire_owned() {
        Ok(place) => changes::stream(shared.version.clone(), place),
        Err(_) => refused(Refusal::Busy),
    }
}
