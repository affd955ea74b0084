//! What must hold of a Redis before tables are kept in it.

use chassis::kv::Kv;
use redis::cmd;

use super::super::LogError;

/// Scripts rely on flags and effect replication of Redis 7.
pub(super) async fn check_version(kv: &Kv) -> Result<(), LogError> {
    for server in kv.info("server").await? {
        let major = server
            .lines()
            .find_map(|line| line.strip_prefix("redis_version:"))
            .and_then(|version| version.split('.').next()?.parse::<u32>().ok())
            .ok_or(LogError::Corrupt("version of Redis"))?;
        if major < 7 {
            return Err(LogError::Invalid("live tables need Redis 7.0 or newer"));
        }
    }
    Ok(())
}

/// Writes down the number of shards, or compares it with the one before.
pub(super) async fn fix_shards(kv: &Kv, shards: u16) -> Result<(), LogError> {
    let before: Option<u16> = cmd("SET")
        .arg(format!("{}:shards", kv.prefix))
        .arg(shards)
        .arg("NX")
        .arg("GET")
        .query_async(&mut kv.connection.clone())
        .await?;
    if before.is_some_and(|before| before != shards) {
        return Err(LogError::Invalid(
            "the number of shards differs from the one that the tables are stored by",
        ));
    }
    Ok(())
}
