//! The figures of ranking, and what each of them means.

/// How much what counts. Those of [`Constants::default`] are used; others are for measuring how much they matter.
///
/// Some come in pairs: one for talks whose messages are about as long as each other, and one for uneven ones. In between
/// lies what is used.
#[derive(Clone, Debug, PartialEq)]
pub struct Constants {
    /// How quickly more of the same word in one text stops counting (BM25).
    pub k1: f32,
    /// How much long texts are held back (BM25).
    pub b: f32,
    /// How much more a rare word counts than a common one.
    pub rarity: f32,
    /// Messages of a passage: in an uneven talk, a word is rare that few passages hold, however often they repeat it.
    pub passage_len: u32,
    /// What the messages beside one say of it.
    pub near: Reach,
    /// What the passage around it says of it.
    pub wide: Reach,
    /// What the scores of all around a message add to its own in an uneven talk; nothing in an even one.
    pub passage_uneven: f32,
    /// What is left of a score at each step to those around it.
    pub passage_decay: f32,
    /// What words count that the best candidates have and nobody asked for.
    pub more: f32,
    /// The same in an uneven talk.
    pub more_uneven: f32,
    /// What a word of the task counts beside one of the question.
    pub task: f32,
    /// What a word counts that is the name of a sender: whose words they are says more.
    pub name: f32,
    /// What a word counts that speaks of speaking, as in "summarise what they said".
    pub talk: f32,
    /// How much more a message counts whose sender is named.
    pub named: f32,
    /// The same in an uneven talk: there what others say in between belongs to it.
    pub named_uneven: f32,
    /// How much more a message counts that holds a time, when one is asked for.
    pub timed: f32,
    /// What a question counts beside its answer.
    pub question: f32,
    /// Up to which deviation from their mean length, as a share of it, messages are as long as each other.
    pub even: f32,
    /// From which on they are as uneven as those of people who speak.
    pub uneven: f32,
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
            passage_len: 10,
            near: Reach { weight: 0.42, forward: 1.5, decay: 0.6, enough: 6.0 },
            wide: Reach { weight: 0.27, forward: 1.0, decay: 0.945, enough: 1.3 },
            passage_uneven: 1.0,
            passage_decay: 0.8,
            more: 0.05,
            more_uneven: 0.25,
            task: 0.25,
            name: 0.3,
            talk: 0.4,
            named: 0.9,
            named_uneven: 0.35,
            timed: 0.5,
            question: 0.9,
            even: 0.5,
            uneven: 1.0,
        }
    }
}
