import type { Outcome } from '../../src/channels/contract.ts';
import type { Answer, Fault, HttpSimulator } from '../simulators/http-simulator.ts';
import type { Mishap } from './exam.ts';

const page = '<!doctype html><html><head><title>Bad Gateway</title></head><body><h1>502</h1></body></html>';

/** Mishaps as a provider with an HTTP API has them. */
const faults: Record<Mishap, Fault> = {
  throttled: { status: 429, body: '' },
  throttled_with_delay: { status: 429, headers: { 'retry-after': '7' }, body: '' },
  throttled_absurdly: { status: 429, headers: { 'retry-after': '999999999' }, body: '' },
  server_error: { status: 500, body: '' },
  gateway_timeout: { status: 504, headers: { 'content-type': 'text/html' }, body: page },
  error_page: { status: 502, headers: { 'content-type': 'text/html' }, body: page },
  page_instead_of_answer: 'html',
  malformed_answer: 'malformed',
  empty_answer: 'empty',
  half_answer: 'half',
  redirect: { status: 302, headers: { location: 'https://elsewhere.example/' }, body: '' },
  dropped: 'drop',
  dropped_after_accept: 'drop_after_accept',
  hang: 'hang',
  hang_after_accept: 'hang_after_accept',
};

export function provokeHttp(simulator: HttpSimulator, mishap: Mishap): void {
  simulator.fault = faults[mishap];
}

/** What they mean when nothing but the status of an answer counts as one. `open`: the provider may have the message. */
export function httpMishaps(idempotent: boolean): Record<Mishap, Outcome['kind']> {
  const open = idempotent ? 'retry' : 'ambiguous';
  return {
    throttled: 'throttled',
    throttled_with_delay: 'throttled',
    throttled_absurdly: 'throttled',
    server_error: 'retry',
    gateway_timeout: open,
    error_page: 'retry',
    page_instead_of_answer: open,
    malformed_answer: open,
    empty_answer: open,
    half_answer: open,
    redirect: 'broken',
    dropped: open,
    dropped_after_accept: open,
    hang: open,
    hang_after_accept: open,
  };
}

/** A row of a provider's table of errors. */
export function says(answer: Answer): (bench: { simulator: HttpSimulator }) => void {
  return ({ simulator }) => {
    simulator.fault = answer;
  };
}
