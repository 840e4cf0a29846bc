//! How many connections may be open: in all, and of one address.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::limits::ServeLimits;
use crate::borders::Proxies;

/// The bits of an IPv6 address that tell one customer from another; the rest each of them chooses as it likes.
const CUSTOMER_BITS: u32 = 64;

/// The places that connections take.
#[derive(Debug)]
pub(super) struct Places {
    slots: Arc<Semaphore>,
    crowd: Arc<Crowd>,
    per_address_max: usize,
}

/// The right to one connection of whatever address.
pub(super) type Slot = OwnedSemaphorePermit;

/// The place of one connection; free again when this ends.
#[derive(Debug)]
pub(super) struct Place {
    _slot: Slot,
    neighbour: Option<Neighbour>,
    crowd: Arc<Crowd>,
}

/// How many connections each address has. No entry is empty, so there are never more of them than connections.
#[derive(Debug, Default)]
struct Crowd(Mutex<HashMap<Neighbour, Presence>>);

/// All addresses that are counted as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Neighbour(IpAddr);

#[derive(Debug, Default)]
struct Presence {
    open: usize,
    /// Whether it was told already that this address has too many.
    is_told: bool,
}

impl Places {
    pub(super) fn new(limits: &ServeLimits) -> Self {
        let slots = Arc::new(Semaphore::new(limits.connections_max));
        Self { slots, crowd: Arc::default(), per_address_max: limits.connections_per_address_max }
    }

    /// Waits until one more connection may be open.
    pub(super) async fn slot(&self) -> Slot {
        Arc::clone(&self.slots).acquire_owned().await.expect("the slots are never closed")
    }

    /// A place for a connection of this address, or none when it has enough. Trusted proxies have no limit of their own.
    pub(super) fn take(&self, slot: Slot, peer: IpAddr, proxies: &Proxies) -> Option<Place> {
        let neighbour = (!proxies.contains(peer)).then(|| Neighbour::of(peer));
        if let Some(neighbour) = neighbour
            && !self.crowd.enter(neighbour, self.per_address_max)
        {
            return None;
        }
        Some(Place { _slot: slot, neighbour, crowd: Arc::clone(&self.crowd) })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(neighbour) = self.neighbour {
            self.crowd.leave(neighbour);
        }
    }
}

impl Crowd {
    fn enter(&self, neighbour: Neighbour, max: usize) -> bool {
        let mut crowd = self.lock();
        let presence = crowd.entry(neighbour).or_default();
        let may_enter = presence.open < max;
        if may_enter {
            presence.open += 1;
        } else if !presence.is_told {
            presence.is_told = true;
            tracing::warn!(address = %neighbour.0, max, "an address has all its connections; further ones are closed");
        }
        may_enter
    }

    fn leave(&self, neighbour: Neighbour) {
        let mut crowd = self.lock();
        let Some(presence) = crowd.get_mut(&neighbour) else { return };
        presence.open -= 1;
        if presence.open == 0 {
            crowd.remove(&neighbour);
        }
    }

    /// Nothing in here can panic halfway, so what a panic elsewhere left behind is whole.
    fn lock(&self) -> MutexGuard<'_, HashMap<Neighbour, Presence>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Neighbour {
    fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => {
                let mask = u128::MAX << (u128::BITS - CUSTOMER_BITS);
                Ipv6Addr::from_bits(address.to_bits() & mask).into()
            }
            old => old,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(all: usize, per_address: usize) -> Places {
        let limits =
            ServeLimits { connections_max: all, connections_per_address_max: per_address, ..ServeLimits::default() };
        Places::new(&limits)
    }

    async fn take(places: &Places, peer: &str) -> Option<Place> {
        places.take(places.slot().await, peer.parse().expect(peer), &Proxies::default())
    }

    #[tokio::test]
    async fn an_address_has_so_many_places_and_no_more() {
        let places = places(9, 2);
        let mine = [take(&places, "10.0.0.1").await, take(&places, "10.0.0.1").await];
        assert!(mine.iter().all(Option::is_some));
        assert!(take(&places, "10.0.0.1").await.is_none());
        assert!(take(&places, "::ffff:10.0.0.1").await.is_none(), "the same address in other letters");
        assert!(take(&places, "10.0.0.2").await.is_some());
    }

    #[tokio::test]
    async fn a_place_is_free_again_when_its_connection_ends() {
        let places = places(9, 1);
        let first = take(&places, "10.0.0.1").await;
        assert!(first.is_some() && take(&places, "10.0.0.1").await.is_none());
        drop(first);
        assert!(places.crowd.lock().is_empty(), "nothing is remembered of who has left");
        assert!(take(&places, "10.0.0.1").await.is_some());
    }

    #[tokio::test]
    async fn addresses_of_one_ipv6_customer_are_counted_together() {
        let places = places(9, 1);
        let _one = take(&places, "2001:db8:1:2::1").await.expect("the first");
        assert!(take(&places, "2001:db8:1:2:ffff::9").await.is_none());
        assert!(take(&places, "2001:db8:1:3::1").await.is_some());
    }

    #[tokio::test]
    async fn a_trusted_proxy_is_not_counted() {
        let (places, proxies) = (places(9, 1), "10.0.0.1".parse::<Proxies>().expect("a list"));
        let peer = "10.0.0.1".parse().expect("an address");
        let first = places.take(places.slot().await, peer, &proxies);
        let second = places.take(places.slot().await, peer, &proxies);
        assert!(first.is_some() && second.is_some());
        assert!(places.crowd.lock().is_empty());
    }

    #[tokio::test]
    async fn a_refused_connection_gives_its_slot_back() {
        let places = places(2, 1);
        let _one = take(&places, "10.0.0.1").await.expect("the first");
        assert!(take(&places, "10.0.0.1").await.is_none());
        assert_eq!(places.slots.available_permits(), 1);
    }
}
