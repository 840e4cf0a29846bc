//! Answers that are written piece by piece, over a real store and with a clock that moves only when it is told to.

mod support;

mod streaming {
    pub(crate) mod fixture;

    mod access;
    mod ends;
    mod faults;
    mod leases;
    mod races;
    mod reading;
    mod refusals;
    mod restarts;
    mod telling;
}
