import { describeEngine } from './describe-engine.js';
import { makeMemoryStore } from './memory-store.js';

describeEngine('memory engine', (options) => makeMemoryStore(options));
