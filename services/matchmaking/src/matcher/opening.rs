//! Opening the tables of proposals.

use chassis::rpc;
use futures::future::join_all;
use prost::Message as _;
use proto::v1::{self, game_client::GameClient};
use tonic::{Code, Status};

use super::Matcher;
use crate::store::{Lease, Proposal, StoreError};

/// What became of a table that was to be opened.
pub(super) enum Opening {
    Open,
    /// It is not open and will not be.
    Refused(Status),
    /// It may be open, and so may others: something is wrong with this one.
    Unknown(Status),
    /// It may be open. No table can be opened now.
    Unreachable(Status),
}

impl Opening {
    fn of(answer: Result<tonic::Response<v1::OpenTableResponse>, Status>) -> Self {
        let Err(status) = answer else {
            return Self::Open;
        };
        match status.code() {
            // The id is ours alone, so whatever the table looks like, it is the one.
            Code::AlreadyExists => Self::Open,
            Code::InvalidArgument
            | Code::NotFound
            | Code::PermissionDenied
            | Code::FailedPrecondition
            | Code::OutOfRange
            | Code::Unimplemented
            | Code::Unauthenticated => Self::Refused(status),
            Code::Cancelled
            | Code::DeadlineExceeded
            | Code::ResourceExhausted
            | Code::Unavailable => Self::Unreachable(status),
            Code::Ok | Code::Unknown | Code::Aborted | Code::Internal | Code::DataLoss => {
                Self::Unknown(status)
            }
        }
    }
}

impl Matcher {
    /// Opens the tables of proposals, and moves their tickets on as far as the outcome is known.
    pub(super) async fn open(
        &mut self,
        proposals: &[(Lease, &Proposal)],
    ) -> Result<Vec<Opening>, StoreError> {
        let openings = proposals.iter().map(|(_, proposal)| {
            let game = self.game.clone();
            async move {
                let request = match v1::OpenTableRequest::decode(proposal.request.as_slice()) {
                    Ok(request) => request,
                    Err(error) => return Opening::Refused(Status::internal(error.to_string())),
                };
                let opened = game.call(proposal.table, |channel| {
                    let request = rpc::request(request.clone(), None, "");
                    async move { GameClient::new(channel).open_table(request).await }
                });
                Opening::of(opened.await)
            }
        });
        let openings = join_all(openings).await;
        for (opening, (lease, proposal)) in openings.iter().zip(proposals) {
            match opening {
                Opening::Open => {
                    self.store.settle(proposal.table).await?;
                    self.game_outage.worked("opening tables");
                }
                Opening::Refused(_) => {
                    self.store.reopen(lease, proposal.table).await?;
                }
                Opening::Unreachable(status) => {
                    let now = self.now();
                    self.game_outage.failed(now, "opening tables", status);
                }
                Opening::Unknown(_) => {}
            }
        }
        Ok(openings)
    }
}
