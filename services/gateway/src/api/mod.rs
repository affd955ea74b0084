//! The REST API, one module for each resource: its routes, its JSON, and the translation from and
//! to the services' messages. The OpenAPI document is made from the routes themselves, so none
//! can be missing.

mod actions;
mod auth;
mod blocks;
mod cards;
mod convert;
mod create;
mod ladders;
mod matches;
mod me;
mod pairing;
mod players;
mod rules;
mod rulesets;
mod scores;
mod seats;
mod tables;
mod tickets;
mod updates;
mod view;
mod ws;

use utoipa::{
    IntoParams, Modify, OpenApi,
    openapi::{
        self, Content, Ref, RefOr, ResponseBuilder,
        security::{Http, HttpAuthScheme, SecurityScheme},
    },
};
use utoipa_axum::router::OpenApiRouter;

use crate::{Gateway, problem};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Spatz",
        version = "1",
        description = "Play Bauerntarock over REST.\n\n\
            Sign in as a guest, queue up or open a table, then look at the table and send one of \
            its `legal_actions` whenever it is your turn. Follow the table's events to know when: \
            they list your `legal_actions` too.\n\n\
            Instants are RFC 3339 in UTC. Seats are numbered clockwise from 0. Lists page by an \
            opaque `cursor`. Errors are `application/problem+json` with a stable `code`.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    servers((url = "/", description = "This server")),
    security(("bearer" = [])),
    tags(
        (name = "sign-in", description = "Accounts of guests, and their tokens"),
        (name = "account", description = "Your own account"),
        (name = "games", description = "What can be played"),
        (name = "matchmaking", description = "Queues and tickets"),
        (name = "tables", description = "Live tables"),
        (name = "matches", description = "Finished matches"),
        (name = "players", description = "Profiles"),
        (name = "ladders", description = "Leaderboards"),
    ),
    components(schemas(problem::ProblemBody, updates::Head, ws::Message)),
    modifiers(&Shared),
)]
struct Document;

/// What every operation has: the token, and the same shape of errors.
struct Shared;

const PROBLEM: &str = "Problem";

impl Modify for Shared {
    fn modify(&self, document: &mut openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        let mut bearer = Http::new(HttpAuthScheme::Bearer);
        bearer.bearer_format = Some("JWT".to_owned());
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
        let problem = Content::new(Some(Ref::from_schema_name(PROBLEM)));
        let response = ResponseBuilder::new()
            .description("What went wrong; `/problems/{code}` says more about each code")
            .content(problem::MEDIA_TYPE, problem)
            .build();
        components
            .responses
            .insert(PROBLEM.to_owned(), response.into());
    }
}

/// The header that makes a creation safe to repeat.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[allow(dead_code, reason = "read as a header; here for the document")]
struct IdempotencyKey {
    /// 1 to 128 characters, made by you for each creation, such as a UUID. Sent again within 24
    /// hours, it gives the first answer and creates nothing.
    #[param(rename = "Idempotency-Key")]
    idempotency_key: Option<String>,
}

/// Which part of a list is wanted.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code, reason = "read by `extract::Page`; here for the document")]
struct PageParams {
    /// `next` of the last page.
    cursor: Option<String>,
    /// How many, 1 to 100. Default 20.
    limit: Option<u32>,
}

/// All routes of the API.
pub(crate) fn routes() -> OpenApiRouter<Gateway> {
    let mut router = OpenApiRouter::with_openapi(Document::openapi())
        .merge(auth::routes())
        .merge(me::routes())
        .merge(blocks::routes())
        .merge(rulesets::routes())
        .merge(tickets::routes())
        .merge(tables::routes())
        .merge(ws::routes())
        .merge(matches::routes())
        .merge(pairing::routes())
        .merge(players::routes())
        .merge(ladders::routes());
    let paths = &mut router.get_openapi_mut().paths.paths;
    let operations = paths.values_mut().flat_map(|item| {
        [
            &mut item.get,
            &mut item.post,
            &mut item.put,
            &mut item.patch,
            &mut item.delete,
        ]
    });
    for operation in operations.flatten() {
        let problem = RefOr::Ref(Ref::from_response_name(PROBLEM));
        operation
            .responses
            .responses
            .insert("default".to_owned(), problem);
    }
    router
}

/// The OpenAPI document, as it is served at `/v1/openapi.json`.
///
/// # Panics
/// Never: every document has a JSON text.
#[must_use]
pub fn openapi_json() -> String {
    let document = routes().into_openapi();
    document
        .to_pretty_json()
        .expect("every document has a JSON text")
}
