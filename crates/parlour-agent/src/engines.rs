//! Engines: one file for each sort of agent.

pub mod models;
