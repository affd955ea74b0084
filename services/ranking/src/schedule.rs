//! When seasons close by themselves: a wall-clock time in a time zone.
//!
//! `monthly 1 04:00 Europe/Vienna`: a period, a day in it, a time, a zone. The time is the one on
//! the wall there, so an instant follows the change to and from daylight saving. A time that
//! does not exist on that day is the one after the gap, one that comes twice the first of both.

use std::{fmt, str::FromStr};

use jiff::{
    Timestamp, ToSpan as _,
    civil::{Date, Time, Weekday},
    tz::TimeZone,
};

/// What a schedule looks like, for whoever wrote another thing.
const EXPECTED: &str = "expected `weekly 1-7`, `monthly 1-28`, `quarterly 1-28` or `yearly 1-28`, \
                        a time and a zone, such as `monthly 1 04:00 Europe/Vienna`";
/// More months than between any two dates of a schedule.
const MONTHS: i32 = 13;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Period {
    Weekly(Weekday),
    /// On this day of every month whose number leaves 1 when divided by `every`.
    Months {
        every: i8,
        day: i8,
    },
}

/// When seasons close.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    period: Period,
    time: Time,
    zone: TimeZone,
}

/// A text that is no schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadSchedule;

impl fmt::Display for BadSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(EXPECTED)
    }
}

impl std::error::Error for BadSchedule {}

impl FromStr for Schedule {
    type Err = BadSchedule;

    fn from_str(text: &str) -> Result<Self, BadSchedule> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [period, day, time, zone] = words[..] else {
            return Err(BadSchedule);
        };
        let day: i8 = day.parse().map_err(|_| BadSchedule)?;
        let months = |every| {
            let valid = (1..=28).contains(&day);
            valid.then_some(Period::Months { every, day })
        };
        let period = match period {
            "weekly" => Weekday::from_monday_one_offset(day)
                .ok()
                .map(Period::Weekly),
            "monthly" => months(1),
            "quarterly" => months(3),
            "yearly" => months(12),
            _ => None,
        };
        Ok(Self {
            period: period.ok_or(BadSchedule)?,
            time: time.parse().map_err(|_| BadSchedule)?,
            zone: TimeZone::get(zone).map_err(|_| BadSchedule)?,
        })
    }
}

impl Schedule {
    /// The first instant of the schedule after another one; both in milliseconds since 1970 UTC.
    /// None at the end of the calendar.
    #[must_use]
    pub fn next_after(&self, now_ms: i64) -> Option<i64> {
        let now = Timestamp::from_millisecond(now_ms).ok()?;
        let today = now.to_zoned_datetime(self.zone.clone()).date();
        // A day early, because a gap may have moved yesterday's time past midnight.
        let first = today.checked_sub(1.day()).ok()?;
        let mut instants = self.dates(first).filter_map(|date| {
            let at = date
                .to_datetime(self.time)
                .to_zoned_datetime(self.zone.clone());
            Some(at.ok()?.timestamp().as_millisecond())
        });
        instants.find(|&at_ms| at_ms > now_ms)
    }

    /// Some of the schedule's dates in order; the first ones may be before `first`.
    fn dates(&self, first: Date) -> Box<dyn Iterator<Item = Date> + '_> {
        match self.period {
            Period::Weekly(weekday) => Box::new(
                (0..=14_i64)
                    .filter_map(move |days| first.checked_add(days.days()).ok())
                    .filter(move |date| date.weekday() == weekday),
            ),
            Period::Months { every, day } => Box::new(
                (0..=MONTHS)
                    .filter_map(move |months| {
                        first.first_of_month().checked_add(months.months()).ok()
                    })
                    .filter(move |date| (date.month() - 1) % every == 0)
                    .filter_map(move |date| Date::new(date.year(), date.month(), day).ok()),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(instant: &str) -> i64 {
        let at: Timestamp = instant.parse().expect("an instant");
        at.as_millisecond()
    }

    #[track_caller]
    fn check(schedule: &str, instants: &[&str]) {
        let schedule: Schedule = schedule.parse().expect("a schedule");
        for pair in instants.windows(2) {
            let next = schedule.next_after(ms(pair[0]));
            assert_eq!(next, Some(ms(pair[1])), "after {}", pair[0]);
            // From any moment before it, too.
            assert_eq!(schedule.next_after(ms(pair[1]) - 1), Some(ms(pair[1])));
        }
    }

    #[test]
    fn the_time_on_the_wall_stays_when_summer_time_begins_and_ends() {
        check(
            "monthly 1 04:00 Europe/Vienna",
            &[
                "2027-03-01T03:00:00Z",
                "2027-04-01T02:00:00Z",
                "2027-05-01T02:00:00Z",
            ],
        );
        check(
            "quarterly 1 04:00 Europe/Vienna",
            &[
                "2027-07-01T02:00:00Z",
                "2027-10-01T02:00:00Z",
                "2028-01-01T03:00:00Z",
                "2028-04-01T02:00:00Z",
            ],
        );
        check(
            "yearly 6 00:00 Europe/Vienna",
            &["2027-01-05T23:00:00Z", "2028-01-05T23:00:00Z"],
        );
    }

    #[test]
    fn a_time_that_is_skipped_or_comes_twice_happens_once() {
        // 02:30 does not exist on 28 March 2027, and comes twice on 31 October 2027.
        check(
            "weekly 7 02:30 Europe/Vienna",
            &[
                "2027-03-21T01:30:00Z",
                "2027-03-28T01:30:00Z",
                "2027-04-04T00:30:00Z",
            ],
        );
        check(
            "weekly 7 02:30 Europe/Vienna",
            &[
                "2027-10-24T00:30:00Z",
                "2027-10-31T00:30:00Z",
                "2027-11-07T01:30:00Z",
            ],
        );
    }

    #[test]
    fn anything_else_is_no_schedule() {
        for text in [
            "",
            "monthly",
            "monthly 1 04:00",
            "monthly 0 04:00 Europe/Vienna",
            "monthly 29 04:00 Europe/Vienna",
            "weekly 8 04:00 Europe/Vienna",
            "daily 1 04:00 Europe/Vienna",
            "monthly 1 25:00 Europe/Vienna",
            "monthly 1 04:00 Europe/Kufstein",
            "monthly 1 04:00 Europe/Vienna now",
        ] {
            assert_eq!(text.parse::<Schedule>(), Err(BadSchedule), "{text}");
        }
    }
}
