//! Limits of the transport, and slots for open connections in total and per address.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use parlour_core::limits;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::http_guard::Proxies;

/// The prefix of an IPv6 address that is assigned to one customer.
const IPV6_PREFIX_BITS: u32 = 64;

/// Counts open connections.
#[derive(Debug)]
pub(super) struct ConnectionLimits {
    permits: Arc<Semaphore>,
    open: Arc<OpenByAddress>,
    per_address_max: usize,
}

/// Permission for one connection of any address.
pub(super) type Permit = OwnedSemaphorePermit;

/// The slot of one connection; dropping it frees the slot.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    _slot: Permit,
    group: Option<AddressGroup>,
    open: Arc<OpenByAddress>,
}

/// Open connections per address. Empty entries are removed, so the map never exceeds the number of connections.
#[derive(Debug, Default)]
struct OpenByAddress(Mutex<HashMap<AddressGroup, AddressCount>>);

/// Addresses that share one limit: an IPv4 address or an IPv6 prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct AddressGroup(IpAddr);

#[derive(Debug, Default)]
struct AddressCount {
    open: usize,
    is_warned: bool,
}

impl ConnectionLimits {
    pub(super) fn new(limits: &ServeLimits) -> Self {
        let permits = Arc::new(Semaphore::new(limits.connections_max));
        Self { permits, open: Arc::default(), per_address_max: limits.connections_per_address_max }
    }

    /// Waits for a permit.
    pub(super) async fn slot(&self) -> Permit {
        Arc::clone(&self.permits).acquire_owned().await.expect("the semaphore is never closed")
    }

    /// The slot of a connection, or `None` at the limit of its address. Trusted proxies have no limit per address.
    pub(super) fn take(&self, slot: Permit, peer: IpAddr, proxies: &Proxies) -> Option<ConnectionSlot> {
        let group = (!proxies.contains(peer)).then(|| AddressGroup::of(peer));
        if let Some(group) = group
            && !self.open.enter(group, self.per_address_max)
        {
            return None;
        }
        Some(ConnectionSlot { _slot: slot, group, open: Arc::clone(&self.open) })
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            self.open.leave(group);
        }
    }
}

impl OpenByAddress {
    fn enter(&self, group: AddressGroup, max: usize) -> bool {
        let mut open = self.lock();
        let presence = open.entry(group).or_default();
        let may_enter = presence.open < max;
        if may_enter {
            presence.open += 1;
        } else if !presence.is_warned {
            presence.is_warned = true;
            tracing::warn!(address = %group.0, max, "an address has reached its connection limit; further connections are closed");
        }
        may_enter
    }

    fn leave(&self, group: AddressGroup) {
        let mut open = self.lock();
        let Some(presence) = open.get_mut(&group) else { return };
        presence.open -= 1;
        if presence.open == 0 {
            open.remove(&group);
        }
    }

    /// No critical section can panic halfway, so a poisoned map is consistent.
    fn lock(&self) -> MutexGuard<'_, HashMap<AddressGroup, AddressCount>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AddressGroup {
    fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => {
                let mask = u128::MAX << (u128::BITS - IPV6_PREFIX_BITS);
                Ipv6Addr::from_bits(address.to_bits() & mask).into()
            }
            old => old,
        })
    }
}

/// Limits of the transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServeLimits {
    /// Open connections; further ones wait to be accepted.
    pub connections_max: usize,
    /// Open connections of one address; further ones are closed. Trusted proxies are not counted.
    pub connections_per_address_max: usize,
    /// Time for a TLS handshake.
    pub handshake_time_max: Duration,
    /// Time for a request head, from its first byte; for the first head from the start of the connection.
    pub head_time_max: Duration,
    /// Time between two requests.
    pub idle_time_max: Duration,
    /// Time to wait for the next byte of a request body.
    pub body_time_max: Duration,
    /// Time in which a client must read at least one byte of its response.
    pub stall_time_max: Duration,
    /// Interval of HTTP/2 pings.
    pub ping_interval: Duration,
    /// Time for running requests when the hub stops.
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
mod slot_tests {
    use super::*;

    fn slots(all: usize, per_address: usize) -> ConnectionLimits {
        let limits =
            ServeLimits { connections_max: all, connections_per_address_max: per_address, ..ServeLimits::default() };
        ConnectionLimits::new(&limits)
    }

    async fn take(slots: &ConnectionLimits, peer: &str) -> Option<ConnectionSlot> {
        slots.take(slots.slot().await, peer.parse().expect(peer), &Proxies::default())
    }

    #[tokio::test]
    async fn connections_per_address_are_limited() {
        let slots = slots(9, 2);
        let mine = [take(&slots, "10.0.0.1").await, take(&slots, "10.0.0.1").await];
        assert!(mine.iter().all(Option::is_some));
        assert!(take(&slots, "10.0.0.1").await.is_none());
        assert!(take(&slots, "::ffff:10.0.0.1").await.is_none(), "the same address, IPv4-mapped");
        assert!(take(&slots, "10.0.0.2").await.is_some());
    }

    #[tokio::test]
    async fn a_slot_is_free_again_when_its_connection_ends() {
        let slots = slots(9, 1);
        let first = take(&slots, "10.0.0.1").await;
        assert!(first.is_some() && take(&slots, "10.0.0.1").await.is_none());
        drop(first);
        assert!(slots.open.lock().is_empty(), "empty entries are removed");
        assert!(take(&slots, "10.0.0.1").await.is_some());
    }

    #[tokio::test]
    async fn addresses_of_one_ipv6_prefix_share_a_limit() {
        let slots = slots(9, 1);
        let _one = take(&slots, "2001:db8:1:2::1").await.expect("the first");
        assert!(take(&slots, "2001:db8:1:2:ffff::9").await.is_none());
        assert!(take(&slots, "2001:db8:1:3::1").await.is_some());
    }

    #[tokio::test]
    async fn a_trusted_proxy_is_not_counted() {
        let (slots, proxies) = (slots(9, 1), "10.0.0.1".parse::<Proxies>().expect("a list"));
        let peer = "10.0.0.1".parse().expect("an address");
        let first = slots.take(slots.slot().await, peer, &proxies);
        let second = slots.take(slots.slot().await, peer, &proxies);
        assert!(first.is_some() && second.is_some());
        assert!(slots.open.lock().is_empty());
    }

    #[tokio::test]
    async fn a_refused_connection_returns_its_permit() {
        let slots = slots(2, 1);
        let _one = take(&slots, "10.0.0.1").await.expect("the first");
        assert!(take(&slots, "10.0.0.1").await.is_none());
        assert_eq!(slots.permits.available_permits(), 1);
    }
}

#[cfg(test)]
mod limits_tests {
    use super::*;

    #[test]
    fn a_socket_can_send_its_close_frame_before_its_connection_is_closed() {
        const { assert!(limits::WRITE_SECONDS_MAX > limits::LIVE_WRITE_SECONDS_MAX) }
    }

    #[test]
    fn one_address_can_never_take_all_connections() {
        let limits = ServeLimits::default();
        assert!(limits.connections_per_address_max < limits.connections_max);
    }
}
