//! The lists of a snapshot: each keeps its order, and some only their newest items.

use std::cmp::Ordering;

use crate::{
    event::{ChannelMember, Subscription},
    limits,
};

/// Puts an item in the place of the one that it is a newer form of, or at the end.
pub(super) fn put<T>(list: &mut Vec<T>, item: T, is_same: impl Fn(&T, &T) -> bool) {
    match list.iter_mut().find(|one| is_same(one, &item)) {
        Some(known) => *known = item,
        None => list.push(item),
    }
}

/// Puts an item in the place of the one that it is a newer form of, if there is one.
pub(super) fn replace<T>(list: &mut [T], item: T, is_same: impl Fn(&T, &T) -> bool) {
    if let Some(known) = list.iter_mut().find(|one| is_same(one, &item)) {
        *known = item;
    }
}

/// Puts an item into a window, and answers the oldest when that falls out.
pub(super) fn put_newest<T>(window: &mut Vec<T>, item: T, is_same: impl Fn(&T, &T) -> bool) -> Option<T> {
    put(window, item, is_same);
    (window.len() > limits::SNAPSHOT_ITEMS_MAX).then(|| window.remove(0))
}

/// Whether a window may have left out older items.
pub(super) fn is_full<T>(window: &[T]) -> bool {
    window.len() >= limits::SNAPSHOT_ITEMS_MAX
}

/// Puts an item where it belongs in a sorted list.
pub(super) fn put_sorted<T>(list: &mut Vec<T>, item: T, order: impl Fn(&T, &T) -> Ordering) {
    match list.binary_search_by(|one| order(one, &item)) {
        Ok(known) => list[known] = item,
        Err(place) => list.insert(place, item),
    }
}

/// The order of the members of channels.
pub(super) fn member_order(one: &ChannelMember, other: &ChannelMember) -> Ordering {
    (&one.channel_id, one.member_id.as_str()).cmp(&(&other.channel_id, other.member_id.as_str()))
}

/// The order of subscriptions.
pub(super) fn subscription_order(one: &Subscription, other: &Subscription) -> Ordering {
    (&one.channel_id, &one.agent_id).cmp(&(&other.channel_id, &other.agent_id))
}
