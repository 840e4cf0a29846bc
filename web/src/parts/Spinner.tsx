/** Something runs. The words beside it say what. */
import './Spinner.css';

export function Spinner() {
  return <span class="spinner" />;
}
