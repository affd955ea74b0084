//! From what the store says to the messages of the contract.

use proto::v1::{
    self, ListRatingHistoryResponse, ListStandingsResponse, RatingChange, RatingHistory,
};
use rating::tier::{self, Tier};

use crate::{
    cursor::history_cursor,
    store::{Change, HistoryEntry, HistoryPage, Ladder, Page, PlayerRating},
};

pub(crate) fn rating_change(change: Change) -> RatingChange {
    RatingChange {
        player_id: change.player.to_string(),
        before: change.before,
        after: change.after,
    }
}

pub(crate) fn standings_response(page: Page, ladder: &str) -> ListStandingsResponse {
    let next = match page.standings.last() {
        Some(last) if page.more => last.position.to_cursor(ladder),
        _ => String::new(),
    };
    let standings = page.standings.into_iter().map(|standing| v1::Standing {
        rank: standing.rank,
        player_id: standing.position.player.to_string(),
        rating: standing.position.rating,
        matches: standing.matches,
        tier: Tier::of(standing.position.rating).name().to_owned(),
    });
    ListStandingsResponse {
        standings: standings.collect(),
        next,
    }
}

pub(crate) fn ladder(ladder: Ladder) -> v1::Ladder {
    v1::Ladder {
        id: ladder.id,
        ruleset: ladder.ruleset,
        season: ladder.season,
        opened_ms: ladder.opened_ms,
        closed_ms: ladder.closed_ms,
        // What was to come is over.
        closes_ms: ladder.closes_ms.filter(|_| ladder.closed_ms.is_none()),
    }
}

fn tier(rating: i32) -> v1::Tier {
    let tier = Tier::of(rating);
    v1::Tier {
        name: tier.name().to_owned(),
        next: tier.next().and_then(Tier::from),
        progress: tier::progress(rating),
    }
}

/// `listed_after`: fewest matches for being listed on an open ladder.
pub(crate) fn player_rating(rating: PlayerRating, listed_after: i64) -> v1::PlayerRating {
    let needed = rating.listed_matches.unwrap_or(listed_after);
    let provisional = i64::from(rating.matches) < needed;
    v1::PlayerRating {
        ladder_id: rating.ladder_id,
        rating: rating.rating,
        peak: rating.peak,
        matches: rating.matches,
        provisional,
        tier: (!provisional && !rating.excluded).then(|| tier(rating.rating)),
        history: rating.history.into_iter().map(history).collect(),
    }
}

fn history(entry: HistoryEntry) -> RatingHistory {
    let text = entry.reason.to_string();
    let reason = entry.reason;
    RatingHistory {
        match_id: entry.match_id.to_string(),
        at_ms: entry.at_ms,
        before: reason.before,
        after: reason.after,
        place: entry.place,
        number: entry.number,
        // At most four.
        rated_place: reason.place as u32,
        players: reason.players as u32,
        against: reason.against,
        expected: reason.expected,
        wins: reason.wins,
        k: reason.k.unsigned_abs(),
        abandoned: reason.abandoned,
        reason: text,
    }
}

pub(crate) fn history_response(page: HistoryPage, ladder: &str) -> ListRatingHistoryResponse {
    let next = match page.entries.last() {
        Some(last) if page.more => history_cursor(ladder, last.number),
        _ => String::new(),
    };
    ListRatingHistoryResponse {
        history: page.entries.into_iter().map(history).collect(),
        next,
    }
}
