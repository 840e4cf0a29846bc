//! Jaibber: its frames, rows, histories and rules.

mod support;

/// The tests, by topic.
mod jaibber {
    mod any_form;
    mod bad_input;
    mod context;
    mod decisions;
    mod forging;
    mod frames;
    mod handoffs;
    mod local_entries;
    mod mentions;
    mod presence;
    mod round_trips;
    mod rows;
}
