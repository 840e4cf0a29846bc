//! The limit of open files: every socket takes a handle on both sides.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Handles that a process needs in addition to its sockets.
const RESERVE: usize = 200;

/// Raises the limit for this many sockets, for this process and its children; returns the possible number.
pub(crate) fn make_room(sockets: usize) -> usize {
    let limit = getrlimit(Resource::Nofile);
    let needed = (sockets + RESERVE) as u64;
    let current = limit.current.unwrap_or(u64::MAX);
    if current >= needed {
        return sockets;
    }
    let raised = limit.maximum.map_or(needed, |most| most.min(needed));
    // If it cannot be raised, the current limit applies.
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
    fn a_count_within_the_limit_is_granted() {
        assert_eq!(make_room(10), 10);
    }

    #[test]
    fn a_count_above_the_system_limit_is_reduced() {
        let most = getrlimit(Resource::Nofile).maximum.map_or(usize::MAX, |most| most as usize);
        assert!(make_room(usize::MAX / 4) <= most);
    }
}
