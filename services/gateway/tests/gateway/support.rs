//! A gateway in this process, and a client of it.

use axum::{
    Router,
    body::Body,
    http::{HeaderMap, Method, Request, StatusCode, header},
    response::Response,
};
use chassis::{
    rpc,
    testing::{self, Sqlite},
};
use futures::StreamExt as _;
use gateway::{Channels, Config, Gateway, SigningKey, router};
use proto::v1::{
    game_server::GameServer, matchmaking_server::MatchmakingServer, ranking_server::RankingServer,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tonic::service::RoutesBuilder;
use tower::ServiceExt as _;
use uuid::Uuid;

use crate::fakes::Fakes;

pub(crate) struct Spatz {
    pub(crate) router: Router,
    pub(crate) fakes: Fakes,
    pub(crate) shutdown: CancellationToken,
    pub(crate) key: SigningKey,
    pub(crate) store: Sqlite,
}

/// Somebody who signed in.
#[derive(Clone)]
pub(crate) struct Guest {
    pub(crate) id: Uuid,
    pub(crate) token: String,
    pub(crate) refresh: String,
}

/// A response, read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) async fn of(response: Response) -> Self {
        let (parts, body) = response.into_parts();
        let bytes = axum::body::to_bytes(body, 10_000_000).await.unwrap();
        Self {
            status: parts.status,
            headers: parts.headers,
            text: String::from_utf8(bytes.to_vec()).unwrap(),
        }
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    /// The body of a success.
    #[track_caller]
    pub(crate) fn ok(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        if self.text.is_empty() {
            Value::Null
        } else {
            self.json()
        }
    }

    /// The body of an error, whose shape is checked.
    #[track_caller]
    pub(crate) fn problem(self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(self.header("content-type"), "application/problem+json");
        let body = self.json();
        assert_eq!(body["code"], code, "{body}");
        assert_eq!(body["status"], status);
        assert_eq!(body["type"], format!("/problems/{code}"));
        assert_eq!(body["instance"], self.header("x-request-id"));
        assert!(body["title"].is_string() && body["detail"].is_string());
        body
    }
}

/// A request on its way.
pub(crate) struct Call<'a> {
    spatz: &'a Spatz,
    request: axum::http::request::Builder,
    body: Body,
}

impl Call<'_> {
    pub(crate) fn by(self, guest: &Guest) -> Self {
        self.header("authorization", &format!("Bearer {}", guest.token))
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    pub(crate) fn json(mut self, body: &Value) -> Self {
        self.body = body.to_string().into();
        self.header(header::CONTENT_TYPE.as_str(), "application/json")
    }

    pub(crate) fn text(mut self, body: impl Into<Body>) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) async fn open(self) -> Response {
        let request: Request<Body> = self.request.body(self.body).unwrap();
        self.spatz.router.clone().oneshot(request).await.unwrap()
    }

    pub(crate) async fn send(self) -> Answer {
        Answer::of(self.open().await).await
    }
}

impl Spatz {
    pub(crate) async fn start() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Config)) -> Self {
        let fakes = Fakes::default();
        let shutdown = CancellationToken::new();
        let mut routes = RoutesBuilder::default();
        routes
            .add_service(GameServer::new(fakes.clone()))
            .add_service(MatchmakingServer::new(fakes.clone()))
            .add_service(RankingServer::new(fakes.clone()));
        let (listener, channel) = rpc::in_process();
        // The services outlive the gateway, as they do in a rollout.
        tokio::spawn(rpc::serve(routes, &[], listener, CancellationToken::new()));
        let channels = Channels {
            game: channel.clone().into(),
            matchmaking: channel.clone(),
            ranking: channel,
        };
        Self::on(channels, fakes, shutdown, change).await
    }

    /// A gateway whose services are not there.
    pub(crate) async fn alone() -> Self {
        let (_, channel) = rpc::in_process();
        let channels = Channels {
            game: channel.clone().into(),
            matchmaking: channel.clone(),
            ranking: channel,
        };
        Self::on(channels, Fakes::default(), CancellationToken::new(), |_| {}).await
    }

    async fn on(
        channels: Channels,
        fakes: Fakes,
        shutdown: CancellationToken,
        change: impl FnOnce(&mut Config),
    ) -> Self {
        let store = testing::sqlite().await;
        let key = SigningKey::generate().unwrap();
        let mut config = Config::default();
        change(&mut config);
        let db = store.db.clone();
        let gateway = Gateway::new(db, key.clone(), channels, config, shutdown.clone());
        Self {
            router: router(gateway),
            fakes,
            shutdown,
            key,
            store,
        }
    }

    pub(crate) fn call(&self, method: Method, path: &str) -> Call<'_> {
        Call {
            spatz: self,
            request: Request::builder().method(method).uri(path),
            body: Body::empty(),
        }
    }

    pub(crate) fn get(&self, path: &str) -> Call<'_> {
        self.call(Method::GET, path)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Call<'_> {
        self.call(Method::POST, path).json(body)
    }

    /// A new guest.
    pub(crate) async fn guest(&self, name: &str) -> Guest {
        let body = serde_json::json!({"device_id": Uuid::new_v4(), "display_name": name});
        guest(&self.post("/v1/auth/guest", &body).send().await.ok(201))
    }
}

pub(crate) fn guest(signed_in: &Value) -> Guest {
    let text = |member: &str| signed_in[member].as_str().unwrap().to_owned();
    Guest {
        id: signed_in["player"]["id"].as_str().unwrap().parse().unwrap(),
        token: text("access_token"),
        refresh: text("refresh_token"),
    }
}

/// One server-sent event.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct SseEvent {
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) data: Value,
}

/// Reads a stream event by event.
pub(crate) struct SseReader {
    body: axum::body::BodyDataStream,
    rest: String,
}

impl SseReader {
    #[track_caller]
    pub(crate) fn of(response: Response) -> Self {
        assert_eq!(response.status(), 200);
        assert_eq!(
            response.headers()[header::CONTENT_TYPE],
            "text/event-stream"
        );
        Self {
            body: response.into_body().into_data_stream(),
            rest: String::new(),
        }
    }

    /// The next block of lines, comments included. None: the stream ended.
    pub(crate) async fn block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.rest.split_once("\n\n") {
                let block = block.to_owned();
                self.rest = rest.to_owned();
                return Some(block);
            }
            let bytes = self.body.next().await?.unwrap();
            self.rest.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    }

    /// The next event with data. None: the stream ended.
    pub(crate) async fn next(&mut self) -> Option<SseEvent> {
        loop {
            let block = self.block().await?;
            let mut event = SseEvent::default();
            for line in block.lines() {
                match line.split_once(": ") {
                    Some(("event", name)) => name.clone_into(&mut event.name),
                    Some(("id", id)) => id.clone_into(&mut event.id),
                    Some(("data", data)) => event.data = serde_json::from_str(data).unwrap(),
                    _ => {}
                }
            }
            if event.data != Value::Null {
                return Some(event);
            }
        }
    }
}
