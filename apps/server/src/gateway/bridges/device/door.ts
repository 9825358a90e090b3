// Where the SSH server of a device is that runs no agent of ours, and what is known of it.
import type { Duplex } from 'node:stream'
import type { ClientSigner } from '@bowline/ssh/client-api'

/** A login by key that is under way on the device. */
export interface KeyLogin {
  readonly signer: ClientSigner
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
  /** Wire encoding of the host key that was enrolled; nothing is sent to a server with another. */
  readonly hostKey: Uint8Array
  /** Type of that key: `ssh-rsa`, `ssh-ed25519`, … */
  readonly hostKeyType: string
  /**
   * What lets a person in whose key the gateway has verified: the device trusts it.
   * @param user account on the device
   * @returns undefined when the device knows no such key
   */
  keyLogin(user: string): Promise<KeyLogin | undefined>
  /** The SSH server has proved another host key than the enrolled one: it gets no credential. */
  otherHostKey?(hostKey: Uint8Array): void
  /** What serves the device, for people: `a ShellHub agent (v0.19.0)`. */
  readonly servedBy: string
}
