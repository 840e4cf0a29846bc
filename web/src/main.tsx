import { render } from 'parlour-web';
import { App } from './App';
import { createStore } from './state/store';
import './style/tokens.css';
import './style/base.css';

const page = document.getElementById('page');
if (page) render(() => <App store={createStore()} />, page);
