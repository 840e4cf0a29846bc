/** Shows the dialog that is open. */
export function Dialogs() {
  return null;
}
