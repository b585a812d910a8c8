/**
 * Tells the device that this version works. Call it when the page shows what the user came for, not before:
 * a version that no page has confirmed within its attempts is replaced by the last one that worked.
 * In a plain browser there is nobody to tell, and nothing happens.
 */
export function ready() {
  globalThis.packtool?.confirm?.();
}
