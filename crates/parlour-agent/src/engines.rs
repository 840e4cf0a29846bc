//! Engines: one file for each sort of agent.

mod guide;
pub mod models;

pub use guide::GuideEngine;
