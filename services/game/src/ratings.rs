//! Having finished matches rated.

use std::fmt::Debug;

use async_trait::async_trait;
use chassis::{
    Failure,
    rpc::{self, Channel},
};
use proto::v1::{RatingChange, RecordMatchRequest, ranking_client::RankingClient};

/// Who rates finished matches.
#[async_trait]
pub(crate) trait Ratings: Debug + Send + Sync {
    /// Rates a match. After an error it may be rated or not; the same match again gets the same
    /// answer.
    async fn record(&self, finished: RecordMatchRequest) -> Result<Vec<RatingChange>, Failure>;
}

/// The ranking service.
#[derive(Debug)]
pub(crate) struct RankingService(RankingClient<Channel>);

impl RankingService {
    pub(crate) fn new(channel: Channel) -> Self {
        Self(RankingClient::new(channel))
    }
}

#[async_trait]
impl Ratings for RankingService {
    async fn record(&self, finished: RecordMatchRequest) -> Result<Vec<RatingChange>, Failure> {
        let request = rpc::request(finished, None, "");
        let response = self.0.clone().record_match(request).await?;
        Ok(response.into_inner().changes)
    }
}
