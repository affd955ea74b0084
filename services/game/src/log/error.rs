//! Why a live table's log cannot be read or written.

use chassis::{ErrorCode, Failure};

/// Why a log cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The input is larger than allowed.
    #[error("{0}")]
    TooLarge(&'static str),
    /// The input makes no sense.
    #[error("{0}")]
    Invalid(&'static str),
    /// Redis failed or cannot be reached.
    #[error("redis: {0}")]
    Redis(#[from] redis::RedisError),
    /// SQLite failed.
    #[error("sqlite: {0}")]
    Sql(#[from] sqlx::Error),
    /// What is stored cannot be understood.
    #[error("unexpected {0} in the store")]
    Corrupt(&'static str),
    /// Replicas did not say in time that they have it. It may survive or not; asking again tells.
    #[error("the replicas of Redis did not confirm in time")]
    Unconfirmed,
    /// A part of the store did not answer in time.
    #[error("no answer in time")]
    Silent,
    /// The work was broken off because the process stops.
    #[error("the server is stopping")]
    Stopped,
}

impl From<LogError> for Failure {
    fn from(error: LogError) -> Self {
        match error {
            LogError::TooLarge(detail) => Self::new(ErrorCode::TooLarge, detail),
            LogError::Invalid(detail) => Self::new(ErrorCode::BadRequest, detail),
            LogError::Redis(cause) => cause.into(),
            LogError::Sql(cause) => cause.into(),
            LogError::Unconfirmed | LogError::Silent | LogError::Stopped => {
                Self::unavailable(error)
            }
            LogError::Corrupt(_) => Self::internal(error),
        }
    }
}
