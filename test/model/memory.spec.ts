import { describeModel } from './describe-model.js';
import { memoryModelStore } from './memory-model-store.js';

describeModel('memory engine', memoryModelStore);
