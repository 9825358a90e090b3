// Where the SSH server of a device is that runs no agent of ours, and what is known of it.
import type { Duplex } from 'node:stream'
import type { ClientSigner } from '@bowline/ssh/client-api'

/** A login by key that is under way on the device. */
export interface KeyLogin {
  readonly signer: ClientSigner
  /** Tried when the device refuses the first. */
  readonly otherwise?: ClientSigner
  /** Text for a person whose key was right when the device refuses it; undefined: none. */
  readonly refused?: string
  /** The device has answered, or the login is over. */
  end(): void
}

export interface DeviceDoor {
  /**
   * Opens a byte stream to the SSH server of the device.
   * @throws {Error} when the device does not open it
   */
  openSsh(): Promise<Duplex>
  /**
   * Opens a TCP connection that the device makes, outside of any login.
   * @param host address
   * @throws {Error} with the reason
   */
  openTcp(host: string, port: number): Promise<Duplex>
  /**
   * The host key that the SSH server must prove, read at each connection: nothing is sent to a server with another.
   * @returns wire encoding; empty: no server can
   * @throws {Error} when the device has been removed
   */
  hostKey(): Promise<Uint8Array>
  /**
   * What lets a person in whose key the gateway has verified: the device trusts it.
   * @param user account on the device
   * @returns undefined when the device knows no such key
   */
  keyLogin(user: string): Promise<KeyLogin | undefined>
  /** The SSH server has proved another host key: it gets no credential. @param hostKey wire encoding */
  otherHostKey?(hostKey: Uint8Array): void
  /** What serves the device, for people: `a ShellHub agent (v0.19.0)`. */
  readonly servedBy: string
}
