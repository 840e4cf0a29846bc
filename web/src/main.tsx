// First, so that the styles of components can override it.
import './style/tokens.css';
import './style/base.css';
import './style/buttons.css';
import './style/fields.css';
import './style/labels.css';
import './style/reader_settings.css';
import { render } from 'parlour-web';
import { App } from './App';
import { createStore } from './state/store';

const page = document.getElementById('page');
if (page) {
  // Created once: as an expression in the markup it would be created at every read.
  render(() => {
    const store = createStore();
    return <App store={store} />;
  }, page);
}
