//! The bounds of the transport. Those of the product stand in the core; tests choose smaller ones.

use std::time::Duration;

use parlour_core::limits;

/// How much and how long the transport puts up with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServeLimits {
    /// Connections that are open at once; further ones wait to be accepted.
    pub connections_max: usize,
    /// Connections of one address that are open at once; further ones are closed at once. Trusted proxies, which stand
    /// for many clients, are not counted.
    pub connections_per_address_max: usize,
    /// How long a TLS handshake may take.
    pub handshake_time_max: Duration,
    /// How long the head of a request may take, counted from its first byte or, for the first one, from the start.
    pub head_time_max: Duration,
    /// How long a connection may stay without a request after its last one.
    pub idle_time_max: Duration,
    /// How long to wait for the next byte of a request's body.
    pub body_time_max: Duration,
    /// How long a client may take no byte of its answer.
    pub stall_time_max: Duration,
    /// How often an HTTP/2 connection is asked whether its client is still there.
    pub ping_interval: Duration,
    /// How long running requests are given when the hub stops.
    pub stop_time_max: Duration,
}

impl Default for ServeLimits {
    fn default() -> Self {
        let seconds = |seconds: usize| Duration::from_secs(seconds as u64);
        Self {
            connections_max: limits::CONNECTIONS_MAX,
            connections_per_address_max: limits::CONNECTIONS_PER_ADDRESS_MAX,
            handshake_time_max: seconds(limits::HANDSHAKE_SECONDS_MAX),
            head_time_max: seconds(limits::HEADER_SECONDS_MAX),
            idle_time_max: seconds(limits::IDLE_SECONDS_MAX),
            body_time_max: seconds(limits::BODY_SECONDS_MAX),
            stall_time_max: seconds(limits::WRITE_SECONDS_MAX),
            ping_interval: seconds(limits::HTTP2_PING_SECONDS),
            stop_time_max: seconds(limits::STOP_SECONDS_MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_can_say_why_before_its_connection_is_given_up() {
        const { assert!(limits::WRITE_SECONDS_MAX > limits::LIVE_WRITE_SECONDS_MAX) }
    }

    #[test]
    fn one_address_can_never_take_all_connections() {
        let limits = ServeLimits::default();
        assert!(limits.connections_per_address_max < limits.connections_max);
    }
}
