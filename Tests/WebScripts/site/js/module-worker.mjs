import { part } from "./part.js"; postMessage(part);
