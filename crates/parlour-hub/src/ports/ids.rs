/// New ids and secrets. Nothing else in the hub is random.
pub trait Ids: Send + Sync {
    /// 128 bits for an id: they start with the time in milliseconds, grow from call to call and never repeat.
    fn next_bits(&self) -> u128;

    /// 256 bits that nobody can guess.
    fn new_secret(&self) -> [u8; 32];
}
