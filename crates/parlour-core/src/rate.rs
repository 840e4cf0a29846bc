//! Rate limits. All are enabled by default; the setting `rates` changes them.

mod meter;
mod parse;

use std::fmt;

pub use meter::{AdmittedRequest, Meter};
pub use parse::InvalidRates;

/// The cost of one request, in tenths.
const TENTHS: u32 = 10;

macro_rules! buckets {
    ($($variant:ident = $name:literal, $count:literal in $window:literal s, burst $burst:literal, $meaning:literal;)+) => {
        /// The group of requests that share a rate.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Bucket { $(#[doc = $meaning] $variant),+ }

        impl Bucket {
            /// All buckets, in the order of this file.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name, as in the setting `rates`, in answers and in headers.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// What the rate counts.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning),+ }
            }

            /// The length of the window in seconds.
            pub fn window_seconds(self) -> u32 {
                match self { $(Self::$variant => $window),+ }
            }

            /// The default rate.
            pub fn default_rate(self) -> Rate {
                match self { $(Self::$variant => Rate { count: $count, burst: $burst }),+ }
            }
        }
    };
}

buckets! {
    Member = "member", 50 in 1 s, burst 500, "Requests of one member, over all its tokens and surfaces. A chunk or heartbeat of a stream counts as a tenth.";
    Change = "change", 20 in 1 s, burst 200, "Requests of one member that change something.";
    Project = "project", 200 in 1 s, burst 2_000, "Messages posted in one project. Imported messages do not count.";
    Address = "address", 200 in 1 s, burst 2_000, "Unauthenticated requests from one address (IPv6: one /64).";
    FailedAddress = "failed_address", 10 in 60 s, burst 20, "Failed authentication attempts from one address: with a password, link, invite or a token that was not used from there before.";
    FailedName = "failed_name", 10 in 60 s, burst 10, "Failed sign-in attempts under one name.";
}

/// The sustained count per window of the bucket, and the burst after a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// The count per window.
    pub count: u32,
    /// The burst.
    pub burst: u32,
}

impl fmt::Display for Rate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.count, self.burst)
    }
}

/// The rates in force; a bucket that is off bounds nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rates([Option<Rate>; Bucket::ALL.len()]);

impl Default for Rates {
    /// Every bucket is on.
    fn default() -> Self {
        let mut rates = Self::off();
        for bucket in Bucket::ALL {
            rates.set(*bucket, Some(bucket.default_rate()));
        }
        rates
    }
}

impl Rates {
    /// No bucket bounds anything.
    pub fn off() -> Self {
        Self([None; Bucket::ALL.len()])
    }

    /// The rate of a bucket, unless it is off.
    pub fn get(&self, bucket: Bucket) -> Option<Rate> {
        self.0[bucket as usize]
    }

    /// The same rates with another one for this bucket.
    #[must_use]
    pub fn with(mut self, bucket: Bucket, rate: Option<Rate>) -> Self {
        self.set(bucket, rate);
        self
    }

    /// The buckets that are on, with their rates.
    pub fn on(&self) -> impl Iterator<Item = (Bucket, Rate)> {
        Bucket::ALL.iter().filter_map(|bucket| Some((*bucket, self.get(*bucket)?)))
    }

    fn set(&mut self, bucket: Bucket, rate: Option<Rate>) {
        self.0[bucket as usize] = rate;
    }
}

/// The cost of a request of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// It reads.
    Read,
    /// The request changes something.
    Change,
    /// It is a small piece of something greater, such as a chunk of an answer.
    Piece,
}

impl Cost {
    /// In tenths of a request.
    pub fn tenths(self) -> u32 {
        match self {
            Self::Read | Self::Change => TENTHS,
            Self::Piece => 1,
        }
    }

    /// The buckets of the member that are charged.
    pub fn buckets(self) -> &'static [Bucket] {
        match self {
            Self::Read | Self::Piece => &[Bucket::Member],
            Self::Change => &[Bucket::Member, Bucket::Change],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rate_is_enabled_by_default_and_allows_a_burst() {
        let rates = Rates::default();
        assert_eq!(rates.on().count(), Bucket::ALL.len());
        assert!(rates.on().all(|(_, rate)| rate.count > 0 && rate.burst >= rate.count));
    }

    #[test]
    fn changing_one_bucket_keeps_the_others() {
        let rates = Rates::default().with(Bucket::Address, None);
        assert_eq!(rates.get(Bucket::Address), None);
        assert_eq!(rates.get(Bucket::Member), Some(Bucket::Member.default_rate()));
        assert_eq!(Rates::off().on().count(), 0);
    }

    #[test]
    fn names_are_unique() {
        let names: std::collections::HashSet<_> = Bucket::ALL.iter().map(|bucket| bucket.name()).collect();
        assert_eq!(names.len(), Bucket::ALL.len());
    }

    #[test]
    fn only_changes_are_charged_to_two_buckets() {
        assert_eq!(Cost::Read.buckets(), [Bucket::Member]);
        assert_eq!(Cost::Piece.buckets(), [Bucket::Member]);
        assert_eq!(Cost::Change.buckets(), [Bucket::Member, Bucket::Change]);
    }
}
