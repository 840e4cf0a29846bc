//! File handles: every socket takes one, on both sides.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Handles that a process needs beside its sockets.
const RESERVE: usize = 200;

/// Makes room for this many sockets, for this process and those that it starts; returns how many there can be.
pub(crate) fn make_room(sockets: usize) -> usize {
    let limit = getrlimit(Resource::Nofile);
    let wanted = (sockets + RESERVE) as u64;
    let current = limit.current.unwrap_or(u64::MAX);
    if current >= wanted {
        return sockets;
    }
    let raised = limit.maximum.map_or(wanted, |most| most.min(wanted));
    // Where it cannot be raised, as much as there was is what there is.
    let allowed = match setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum: limit.maximum }) {
        Ok(()) => raised,
        Err(_) => current,
    };
    usize::try_from(allowed).unwrap_or(usize::MAX).saturating_sub(RESERVE).min(sockets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_granted_as_it_was_asked_for() {
        assert_eq!(make_room(10), 10);
    }

    #[test]
    fn nobody_gets_more_than_the_system_gives() {
        let most = getrlimit(Resource::Nofile).maximum.map_or(usize::MAX, |most| most as usize);
        assert!(make_room(usize::MAX / 4) <= most);
    }
}
