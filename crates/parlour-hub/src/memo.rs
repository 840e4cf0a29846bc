//! What the hub remembers of the store, for questions that come with every request.

use std::{collections::HashMap, hash::Hash};

use parking_lot::Mutex;

use crate::Failure;

/// A bounded memory of answers. `clear` forgets everything, also what is being loaded at that moment.
pub(crate) struct Memo<K, V> {
    len_max: usize,
    state: Mutex<State<K, V>>,
}

struct State<K, V> {
    /// Grows with each `clear`, so that an answer from before is not kept after it.
    generation: u64,
    answers: HashMap<K, V>,
}

impl<K: Clone + Eq + Hash, V: Clone> Memo<K, V> {
    pub(crate) fn new(len_max: usize) -> Self {
        Self { len_max, state: Mutex::new(State { generation: 0, answers: HashMap::new() }) }
    }

    /// Answers from memory, or loads the answer and keeps it. "There is none" is not kept.
    pub(crate) async fn get_or_load(
        &self,
        key: &K,
        load: impl Future<Output = Result<Option<V>, Failure>>,
    ) -> Result<Option<V>, Failure> {
        let generation = {
            let state = self.state.lock();
            if let Some(answer) = state.answers.get(key) {
                return Ok(Some(answer.clone()));
            }
            state.generation
        };
        let answer = load.await?;
        if let Some(answer) = &answer {
            self.keep(key.clone(), answer.clone(), generation);
        }
        Ok(answer)
    }

    /// Forgets one answer. Unlike `clear` it does not stop one that is being loaded from being kept.
    pub(crate) fn forget(&self, key: &K) {
        self.state.lock().answers.remove(key);
    }

    pub(crate) fn clear(&self) {
        let mut state = self.state.lock();
        state.generation += 1;
        state.answers.clear();
    }

    fn keep(&self, key: K, answer: V, generation: u64) {
        let mut state = self.state.lock();
        if state.generation != generation {
            return;
        }
        if state.answers.len() >= self.len_max {
            // Rare, and cheaper than keeping an order: the next requests fill it again.
            state.answers.clear();
        }
        state.answers.insert(key, answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn load(memo: &Memo<u32, u32>, key: u32, value: u32) -> u32 {
        memo.get_or_load(&key, async { Ok(Some(value)) }).await.expect("loaded").expect("present")
    }

    #[tokio::test]
    async fn an_answer_is_loaded_once() {
        let memo = Memo::new(10);
        assert_eq!(load(&memo, 1, 10).await, 10);
        assert_eq!(load(&memo, 1, 11).await, 10);
    }

    #[tokio::test]
    async fn after_clear_it_is_loaded_again() {
        let memo = Memo::new(10);
        load(&memo, 1, 10).await;
        memo.clear();
        assert_eq!(load(&memo, 1, 11).await, 11);
    }

    #[tokio::test]
    async fn one_answer_is_forgotten_and_the_others_are_kept() {
        let memo = Memo::new(10);
        load(&memo, 1, 10).await;
        load(&memo, 2, 20).await;
        memo.forget(&1);
        assert_eq!((load(&memo, 1, 11).await, load(&memo, 2, 21).await), (11, 20));
    }

    #[tokio::test]
    async fn an_answer_from_before_a_clear_is_not_kept() {
        let memo = Memo::new(10);
        let stale = memo.get_or_load(&1, async {
            memo.clear();
            Ok(Some(10))
        });
        assert_eq!(stale.await.expect("loaded"), Some(10));
        assert_eq!(load(&memo, 1, 11).await, 11);
    }

    #[tokio::test]
    async fn absence_is_not_kept_and_memory_is_bounded() {
        let memo: Memo<u32, u32> = Memo::new(2);
        assert_eq!(memo.get_or_load(&1, async { Ok(None) }).await.expect("loaded"), None);
        for key in 0..100 {
            load(&memo, key, key).await;
        }
        assert!(memo.state.lock().answers.len() <= 2);
    }
}
