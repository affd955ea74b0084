//! How one service calls another: a channel whose calls are timed and traced.

use std::{
    future::Future,
    task::{Context, Poll},
    time::Instant,
};

use futures::{FutureExt as _, future::BoxFuture};
use tonic::{
    Code,
    body::Body,
    codegen::http::{HeaderMap, Request, Response},
    transport::{self, Error},
};
use tower::Service;
use tracing::{Instrument as _, Span, field::Empty};

use crate::{
    telemetry::{self, metrics},
    trace_span,
};

/// A connection to a service, cheap to clone. It connects when it is first used, and again
/// whenever the connection is lost.
#[derive(Clone, Debug)]
pub struct Channel(transport::Channel);

impl From<transport::Channel> for Channel {
    fn from(channel: transport::Channel) -> Self {
        Self(channel)
    }
}

/// Service and method of a call's path, `/spatz.v1.Game/Act`.
fn names(path: &str) -> (&str, &str) {
    path.trim_start_matches('/')
        .split_once('/')
        .unwrap_or((path, ""))
}

/// The status of an answer that has failed at once. One that streams may fail later.
fn status(headers: &HeaderMap) -> Code {
    let status = headers.get("grpc-status");
    status.map_or(Code::Ok, |code| Code::from_bytes(code.as_bytes()))
}

impl Service<Request<Body>> for Channel {
    type Response = Response<Body>;
    type Error = Error;
    type Future = BoxFuture<'static, Result<Response<Body>, Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        if !telemetry::is_wanted() {
            return self.0.call(request).boxed();
        }
        let path = request.uri().path().to_owned();
        let (service, method) = names(&path);
        let span = trace_span!(
            "call",
            otel.name = &path[1.min(path.len())..],
            otel.kind = "client",
            rpc.system = "grpc",
            rpc.service = service,
            rpc.method = method,
            rpc.grpc.status_code = Empty,
        );
        telemetry::inject(&span, request.headers_mut());
        let call = self.0.call(request);
        let started = Instant::now();
        async move {
            let answer = call.await;
            let code = answer
                .as_ref()
                .map_or(Code::Unavailable, |answer| status(answer.headers()));
            Span::current().record("rpc.grpc.status_code", i32::from(code));
            let (service, method) = names(&path);
            metrics::rpc_called(service, method, code, started.elapsed());
            answer
        }
        .instrument(span)
        .boxed()
    }
}

/// Times the calls that a server answers.
#[derive(Clone, Debug)]
pub(super) struct Timed<S>(pub(super) S);

impl<S, B> Service<Request<Body>> for Timed<S>
where
    S: Service<Request<Body>, Response = Response<B>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
    B: Send + 'static,
{
    type Response = Response<B>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Response<B>, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        // What nobody serves must not become a label.
        let path = Some(request.uri().path().to_owned()).filter(|_| metrics::is_counting());
        timed(path, self.0.call(request)).boxed()
    }
}

async fn timed<B, E>(
    path: Option<String>,
    call: impl Future<Output = Result<Response<B>, E>>,
) -> Result<Response<B>, E> {
    let started = Instant::now();
    let answer = call.await;
    if let (Some(path), Ok(answer)) = (path, &answer) {
        let code = status(answer.headers());
        if code != Code::Unimplemented {
            let (service, method) = names(&path);
            metrics::rpc_served(service, method, code, started.elapsed());
        }
    }
    answer
}
