/** The device side of packtool: keeps the packages of an app on one device, and answers the requests of its web views from them. */

/** What ends a call before its work does. */
export interface Limits {
  /** The longest time that the call may take; without it, as long as it takes. */
  milliseconds?: number
  /** An abort rejects the call with the signal's reason. */
  signal?: AbortSignal
}

/** packhost.h describes each setting. */
export interface HostSettings {
  /** The store's folder. It belongs to the library. */
  store: string
  /** The address of the registry, or the folder of one. */
  registry: string
  channel?: string
  /** The app's root of trust: the text of root.json, or its path. Needed until the store has one. */
  root?: string
  rootFile?: string
  app?: string
  appVersion?: string
  platform?: string
  osVersion?: string
  locale?: string
  region?: string
  model?: string
  deviceID?: string
  tags?: Record<string, string>
  network?: 'metered' | 'unmetered'
  presets?: string[]
  activation?: 'next-start' | 'at-once'
  starts?: number
  readySeconds?: number
  patience?: number
  schemes?: string[]
  rules?: object
  loopback?: string[]
  reports?: boolean
  reportFacts?: boolean
}

export interface Progress {
  phase: 'checking' | 'downloading' | 'unpacking' | 'installing' | 'other'
  /** null while the host is checking. */
  package: string | null
  version: string | null
  /** The bytes that came, and the bytes that the server announced; -1 while it has not. */
  received: number
  expected: number
}

export interface CheckOptions extends Limits {
  /** All packages of the channel unless given. `PackHost.OPENED` means those that were opened before, and the installed ones. */
  packages?: string | string[]
}

export interface UpdateOptions extends CheckOptions {
  /**
   * Called again and again; the update waits for it. If it is slow, the oldest events are left out. If it returns false, the update is
   * cancelled. What it throws cancels the update, which is rejected with that.
   */
  onProgress?: (progress: Progress) => boolean | void
}

/** A call that failed. */
export class PackHostError extends Error {
  /**
   * The name of the code in packhost.h, such as PACKHOST_UNREACHABLE. After a host, view or answer was closed, its calls fail with
   * PACKHOST_CLOSED.
   */
  readonly code: string
}

/** Use one host for each store and process. Hosts that are open when their environment of Node ends are closed. */
export class PackHost {
  static readonly OPENED: '@opened'

  /** Opens a store, or creates one. Nothing is fetched, and nothing is written yet. */
  constructor(settings: HostSettings)

  /**
   * Closes the host; its calls fail from now on. Answers stay until they are closed. Waits at most 5 seconds unless told otherwise.
   * @returns false if something of it still works in the background after that time, or if it was closed before
   */
  close(options?: { milliseconds?: number }): Promise<boolean>

  /** Switches to staged versions and installs presets. Call it when the app starts, before pages open. */
  start(options?: Limits): Promise<void>

  /** Writes down, for reports, how the pages of this run were served. */
  endSession(options?: Limits): Promise<void>

  /** Says what the user pays for, from the next check on. */
  setNetwork(network: 'unknown' | 'unmetered' | 'metered'): void

  /** Looks at another channel from the next check on, until the host is closed. */
  setChannel(channel: string): Promise<void>

  /** Asks the registry what an update would do now: the JSON of `packtool client update --check --json`. */
  check(options?: CheckOptions): Promise<any>

  /** Installs what the channel offers this device: the JSON of `packtool client update --json`. */
  update(options?: UpdateOptions): Promise<any>

  /**
   * Leaves the active version for the one that was confirmed before it, or for the one that the app embeds.
   * @returns the version that is active now; empty if there is none
   */
  rollBack(name: string, reason?: string): Promise<string>

  /** Confirms that a version works. `PackView.confirm` does the same for the page on view. */
  confirm(name: string, version: string, token: string): Promise<void>

  /** The state of every package: the JSON of `packtool client status --json`. */
  status(): Promise<any>

  /** Why each package has what it has, and the newest events: the JSON of `packtool client explain --json`. */
  explain(options?: { packages?: string | string[]; events?: number }): Promise<any>

  /** Makes a view: what one web view, window or tab shows. */
  openView(): PackView
}

export interface PackRequest {
  /**
   * `document` is the document of the view's own page: its package is made ready, and a start of an unconfirmed version is counted.
   * `frame` is the document of a frame. Everything else is a `part`, which is the default.
   */
  kind?: 'part' | 'document' | 'frame'
  /** Default: GET. */
  method?: string
  /** The address as the page sent it, such as https://shop.package/app.js. */
  url: string
  /** All that are known, above all Range, If-None-Match, Referer and Accept. */
  headers?: HeadersInit
}

/** Every page in a view gets all its files from the version that was active when the page started. */
export class PackView {
  private constructor()

  /** Answers a request of the view. Close the answer, or read its stream to the end. */
  resolve(request: PackRequest, options?: Limits): Promise<PackAnswer>

  /** Confirms that the version of the page on view works. */
  confirm(): Promise<void>

  /** The load of the page on view. `missing` has the scripts and styles that its version does not have. */
  load(): { package: string; version: string; token: string; missing: string[] }

  close(): void
}

/** The version of an answer stays on the device until the answer is closed, also if the host is closed before. */
export class PackAnswer {
  private constructor()

  /** The address to send the request to, with its method, headers and body; null if the device answers. */
  readonly online: string | null
  /** Why, in one word, such as "installed" (docs/C-API.md). */
  readonly reason: string
  /** 0 with `online`. */
  readonly status: number
  /** Names in lower case. */
  readonly headers: [string, string][]
  /** The file that has the body from `offset` on, until the answer is closed; null if it is in memory or there is none. */
  readonly file: string | null
  readonly offset: number
  /** The number of bytes of the body. */
  readonly length: number

  /** Reads at most `length` bytes, and at most 1 MB, from a position of the body on. Nothing is the end. */
  read(position: number, length: number): Promise<Buffer>

  /** The whole body. */
  bytes(): Promise<Buffer>

  /** The body as a stream. Its end, a fault and its cancellation close the answer. */
  stream(): ReadableStream<Uint8Array>

  close(): void
}

export interface ProtocolOptions {
  /** The longest time for an answer; 30,000 unless given. */
  milliseconds?: number
  /** Sends the requests that the device does not answer; the global `fetch` unless given. Electron apps pass `net.fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** What a request is for. Unless given, its headers `sec-fetch-dest` and `upgrade-insecure-requests` decide. */
  kindOf?: (request: Request) => 'part' | 'document' | 'frame'
}

/**
 * A handler for Electron's `protocol.handle`. Electron does not say which window a request is of, so each window needs a session of its
 * own, with a handler and a view.
 */
export function protocolHandler(view: PackView, options?: ProtocolOptions): (request: Request) => Promise<Response>
