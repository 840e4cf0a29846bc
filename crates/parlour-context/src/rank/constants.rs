//! The figures of ranking, and what each of them means.

/// How much what counts. Those of [`Constants::default`] are used; others are for measuring how much they matter.
#[derive(Clone, Debug, PartialEq)]
pub struct Constants {
    /// How quickly more of the same word in one text stops counting (BM25).
    pub k1: f32,
    /// How much long texts are held back (BM25).
    pub b: f32,
    /// How much more a rare word counts than a common one.
    pub rarity: f32,
    /// What the messages beside one say of it.
    pub near: Reach,
    /// What the passage around it says of it.
    pub wide: Reach,
    /// How much more a message counts that holds all of the words that are looked for.
    pub whole: f32,
    /// What the scores of all around a message add to its own.
    pub passage: f32,
    /// The same once more, when what is asked is broad.
    pub passage_broad: f32,
    /// What is left of a score at each step to those around it.
    pub passage_decay: f32,
    /// What words count that the best candidates have and nobody asked for.
    pub more: f32,
    /// The same once more, when what is asked is broad.
    pub more_broad: f32,
    /// What a word of the task counts beside one of the question.
    pub task: f32,
    /// What a word counts that is the name of a sender: whose words they are says more.
    pub name: f32,
    /// What a word counts that speaks of speaking, as in "summarise what they said".
    pub talk: f32,
    /// How much more a message counts whose sender is named.
    pub named: f32,
    /// The same instead, when what is asked is broad: then what others answered counts too.
    pub named_broad: f32,
    /// How much more a message counts that holds a time, when one is asked for.
    pub timed: f32,
    /// What a question counts beside its answer.
    pub question: f32,
}

/// How far words are carried along a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// How much is carried.
    pub weight: f32,
    /// How much more of it goes forward: an answer comes after what it answers.
    pub forward: f32,
    /// What is left of it at each step.
    pub decay: f32,
    /// When more of it stops counting.
    pub enough: f32,
}

impl Default for Constants {
    fn default() -> Self {
        Self {
            k1: 1.2,
            b: 0.75,
            rarity: 1.5,
            near: Reach { weight: 0.42, forward: 1.3, decay: 0.6, enough: 6.0 },
            wide: Reach { weight: 0.3, forward: 1.0, decay: 0.95, enough: 1.3 },
            whole: 0.1,
            passage: 0.1,
            passage_broad: 0.4,
            passage_decay: 0.65,
            more: 0.1,
            more_broad: 0.2,
            task: 0.25,
            name: 0.2,
            talk: 0.4,
            named: 0.9,
            named_broad: 0.4,
            timed: 0.5,
            question: 0.9,
        }
    }
}
