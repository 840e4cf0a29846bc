//! Streams over a real store, with a manual clock.

mod support;

mod streaming {
    pub(crate) mod fixture;

    mod access;
    mod chunks;
    mod ends;
    mod faults;
    mod leases;
    mod races;
    mod reading;
    mod refusals;
    mod restarts;
}
