use parlour_core::{
    access::{Principal, Role},
    author::Author,
    id::MemberId,
    member::{Agent, Person},
};

/// A member as the one who asks or writes.
pub trait Caller: Sync {
    /// The caller as its token shows it.
    fn principal(&self) -> Principal;

    /// The caller's id.
    fn member(&self) -> MemberId {
        self.principal().member
    }

    /// The author of what the caller writes.
    fn author(&self) -> Author {
        self.principal().author()
    }
}

impl Caller for Person {
    fn principal(&self) -> Principal {
        let role = if self.is_admin { Role::Admin } else { Role::Person };
        Principal::new(self.id.clone(), self.name.clone(), role)
    }
}

impl Caller for Agent {
    fn principal(&self) -> Principal {
        let role = Role::Agent(self.project_id.clone());
        Principal::new(self.id.clone(), self.name.clone(), role)
    }
}
