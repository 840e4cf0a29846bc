//! Model engines against a stand-in that plays exact bytes: what they ask, what they show, and how they take every fault.

mod answers;
mod collected_answer;
mod completion;
mod faults;
mod provider;
mod question;
mod retries;
mod times;
