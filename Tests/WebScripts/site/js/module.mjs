import { part } from "./part.js"; export const whole = `${part} and ${import.meta.url}`;
