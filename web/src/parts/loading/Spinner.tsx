/** A progress indicator; the text beside it says what is running. */
import './Spinner.css';

export function Spinner() {
  return <span class="spinner" />;
}
