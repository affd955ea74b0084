//! What every adapter of the storage port of live tables must do, run on each of them.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod contract {
    pub(crate) mod histories;
    pub(crate) mod log;
    pub(crate) mod notices;
    pub(crate) mod stores;
    pub(crate) mod wakes;
}

use std::num::NonZeroU8;

use chassis::testing::RedisKind;
use contract::{histories, log, notices, stores, wakes};

/// Makes a test of each check for each adapter.
macro_rules! contract {
    ($($group:ident: $($check:ident),+;)+) => {
        contract!(@on embedded: stores::embedded(), $($group: $($check),+;)+);
        contract!(@on redis: stores::redis(RedisKind::Single, None), $($group: $($check),+;)+);
        contract!(@on redis_sentinel: stores::redis(RedisKind::Sentinel, NonZeroU8::new(1)),
            $($group: $($check),+;)+);
        contract!(@on redis_cluster: stores::redis(RedisKind::Cluster, None),
            $($group: $($check),+;)+);
        contract!(@on redis_cluster_that_confirms:
            stores::redis(RedisKind::Cluster, NonZeroU8::new(1)), $($group: $($check),+;)+);
    };
    (@on $adapter:ident: $stores:expr, $($group:ident: $($check:ident),+;)+) => {
        mod $adapter {
            use super::*;

            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $check() {
                    let stores = $stores.await;
                    stores::in_time($group::$check(&stores)).await;
                }
            )+)+
        }
    };
}

contract! {
    log:
        an_append_at_the_head_is_read_back,
        an_append_elsewhere_is_refused,
        several_events_get_consecutive_versions_and_one_time,
        reading_starts_after_a_version,
        a_long_log_is_read_whole,
        the_times_of_a_table_never_run_backwards,
        an_absent_table_is_empty,
        a_hundred_writers_leave_no_gap_and_lose_nothing,
        other_tables_are_untouched,
        inputs_are_bounded,
        bytes_are_kept_as_they_are,
        of_two_writers_at_one_head_one_wins,
        an_entry_is_held_in_its_history_only;
    notices:
        an_append_is_noticed_by_every_replica,
        a_notice_says_what_was_appended,
        whoever_subscribes_and_reads_misses_nothing,
        only_appends_to_the_table_are_noticed;
    wakes:
        a_table_is_due_when_its_time_has_come,
        an_append_replaces_the_wake_up,
        a_claimed_table_is_held,
        a_hold_ends,
        nothing_is_appended_that_does_not_know_of_an_outage,
        replicas_share_the_due_tables,
        a_claim_is_limited_and_fewer_means_no_more,
        a_wake_up_is_set_at_the_head_only,
        extreme_delays_are_harmless,
        an_expired_table_is_gone,
        an_expiring_table_is_kept_and_never_due,
        the_living_share_the_parts,
        only_the_tables_of_the_asked_parts_are_claimed;
    histories:
        an_append_on_another_history_is_refused,
        a_head_tells_the_time_of_its_entry,
        a_lost_log_is_put_back,
        a_log_goes_on_where_it_ends,
        a_log_that_ends_elsewhere_is_not_touched,
        versions_that_do_not_rise_are_refused,
        a_restored_table_is_noticed_and_due,
        parts_are_unmarked_until_they_are_marked;
}
