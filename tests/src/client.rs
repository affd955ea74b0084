//! A REST client, as an app would have one.

use std::time::Duration;

use anyhow::{Context as _, bail};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use uuid::Uuid;

/// How long a test waits for something that must come, before it fails.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// How long a client waits before it tries again.
pub const BACK_OFF: Duration = Duration::from_millis(20);

/// A signed-in player.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    url: String,
    /// The access token.
    pub token: String,
    /// The player's id.
    pub player: String,
}

/// A response with a JSON body, or none.
#[derive(Debug)]
pub struct Answer {
    /// Status.
    pub status: StatusCode,
    /// `Content-Type`, empty when there is none.
    pub content_type: String,
    /// The body; null when it is empty.
    pub body: Value,
}

impl Answer {
    /// The body of a success.
    ///
    /// # Errors
    /// When it is none.
    pub fn good(self) -> anyhow::Result<Value> {
        if !self.status.is_success() {
            bail!("{}: {}", self.status, self.body);
        }
        Ok(self.body)
    }

    /// The code of a problem, with its status.
    ///
    /// # Panics
    /// When the answer is no well-formed problem.
    #[must_use]
    pub fn problem(&self) -> (u16, String) {
        assert_eq!(
            self.content_type, "application/problem+json",
            "{}",
            self.body
        );
        assert_eq!(self.body["status"], self.status.as_u16(), "{}", self.body);
        for field in ["type", "title", "detail", "instance", "code"] {
            let text = self.body[field].as_str();
            assert!(
                text.is_some_and(|text| !text.is_empty()),
                "{field} in {}",
                self.body
            );
        }
        (
            self.status.as_u16(),
            self.body["code"].as_str().unwrap_or_default().to_owned(),
        )
    }
}

impl Client {
    /// Signs in as a new guest.
    ///
    /// # Errors
    /// When it fails.
    pub async fn guest(url: &str, name: &str) -> anyhow::Result<Self> {
        let http = reqwest::Client::builder().timeout(PATIENCE).build()?;
        Self::guest_with(http, url, name).await
    }

    /// The same over connections that clients share.
    ///
    /// # Errors
    /// When it fails.
    pub async fn guest_with(http: reqwest::Client, url: &str, name: &str) -> anyhow::Result<Self> {
        let mut client = Self {
            http,
            url: url.to_owned(),
            token: String::new(),
            player: String::new(),
        };
        let device = Uuid::new_v4().to_string();
        let body = json!({"device_id": device, "display_name": name});
        let signed_in = client.post("/v1/auth/guest", &body).await?.good()?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        client.token = text(&signed_in["access_token"]).context("access_token")?;
        client.player = text(&signed_in["player"]["id"]).context("player.id")?;
        Ok(client)
    }

    /// Where the server is.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The same player by another way, such as a proxy, over connections of its own.
    #[must_use]
    pub fn through(&self, url: &str) -> Self {
        Self {
            http: reqwest::Client::new(),
            url: url.to_owned(),
            ..self.clone()
        }
    }

    /// A request in the making, with the access token.
    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.url));
        if self.token.is_empty() {
            request
        } else {
            request.bearer_auth(&self.token)
        }
    }

    /// Sends a request.
    ///
    /// # Errors
    /// When there is no answer, or its body is not JSON.
    pub async fn send(&self, request: reqwest::RequestBuilder) -> anyhow::Result<Answer> {
        let response = request.send().await?;
        let status = response.status();
        let content_type = response.headers().get("content-type");
        let content_type = content_type
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let content_type = content_type.to_owned();
        let text = response.text().await?;
        let body = if text.is_empty() {
            Value::Null
        } else {
            serde_json::from_str(&text).with_context(|| format!("{status}: {text}"))?
        };
        Ok(Answer {
            status,
            content_type,
            body,
        })
    }

    /// `GET`.
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn get(&self, path: &str) -> anyhow::Result<Answer> {
        self.send(self.request(Method::GET, path)).await
    }

    /// `POST` with a JSON body.
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Answer> {
        self.send(self.request(Method::POST, path).json(body)).await
    }

    /// The table as this player sees it.
    ///
    /// # Errors
    /// When there is none.
    pub async fn table(&self, id: &str) -> anyhow::Result<Value> {
        self.get(&format!("/v1/tables/{id}")).await?.good()
    }

    /// Sends an action under a command id.
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn act(&self, id: &str, command_id: &str, action: &Value) -> anyhow::Result<Answer> {
        let body = json!({"command_id": command_id, "action": action});
        self.post(&format!("/v1/tables/{id}/actions"), &body).await
    }

    /// Sends an action until there is an answer, always under the same command id: an app does
    /// the same when its connection breaks or the server restarts.
    ///
    /// # Errors
    /// When no answer comes for a long time, or the action is refused.
    pub async fn act_for_sure(&self, id: &str, action: &Value) -> anyhow::Result<Value> {
        let command_id = Uuid::new_v4().to_string();
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let failed = match self.act(id, &command_id, action).await {
                Ok(answer) if !answer.status.is_server_error() => return answer.good(),
                Ok(answer) => format!("{}: {}", answer.status, answer.body),
                Err(error) => format!("{error:#}"),
            };
            if tokio::time::Instant::now() > deadline {
                bail!("no answer to {action}: {failed}");
            }
            tokio::time::sleep(BACK_OFF).await;
        }
    }
}
