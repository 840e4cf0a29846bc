//! Where the messages of a system are kept, and how they are read one after another.

use parlour_core::Refusal;
use parlour_dialects::Item;

use super::told::Told;
use crate::failure::Failure;

/// What holds messages. It can be read as often as needed; each time the same comes in the same order.
pub(super) trait Source {
    /// Begins to read, from the end on when the newest stands first.
    fn rows(&self, order: Order) -> Result<Box<dyn Rows + '_>, Failure>;

    /// The title that the system gives a conversation, if it has one.
    fn title(&self, conversation: &str) -> Option<String>;
}

/// A walk through a source.
pub(super) trait Rows {
    /// The next row; none at the end.
    fn next(&mut self) -> Result<Option<Row>, Failure>;
}

/// In which order rows stand in their source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Order {
    /// The oldest stands first.
    #[default]
    OldestFirst,
    /// The newest stands first.
    NewestFirst,
}

/// One row, line or entry.
#[derive(Debug)]
pub(super) struct Row {
    /// Where it stands, in the words of a person: `line 17`.
    pub(super) place: String,
    /// What the system calls the conversation, as far as the row says so.
    pub(super) conversation: Option<String>,
    /// Whether the conversation is known from the place of the row, and not from what it says.
    pub(super) is_placed: bool,
    /// What it means.
    pub(super) item: Result<Item, Refusal>,
    /// What later rows tell of its steps, if they tell anything.
    pub(super) told: Option<Told>,
}

impl Row {
    /// A row that says everything itself.
    pub(super) fn whole(place: String, conversation: Option<String>, item: Result<Item, Refusal>) -> Self {
        Self { place, conversation, is_placed: false, item, told: None }
    }
}
