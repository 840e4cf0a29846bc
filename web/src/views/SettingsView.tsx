/** The reader's name, password and the looks of the page. */
export function SettingsView() {
  return <main class="settings-view">Settings</main>;
}
