import type { Outcome } from '../../src/channels/contract.ts';
import type { Answer, Fault, HttpSimulator } from '../simulators/http-simulator.ts';
import type { Mishap } from './exam.ts';

const page = '<!doctype html><html><head><title>Bad Gateway</title></head><body><h1>502</h1></body></html>';

/** Mishaps as a provider with an HTTP API has them. */
const faults: Record<Mishap, Fault> = {
  throttled: { status: 429, body: '' },
  throttled_with_delay: { status: 429, headers: { 'retry-after': '7' }, body: '' },
  throttled_absurdly: { status: 429, headers: { 'retry-after': '999999999' }, body: '' },
  half_refusal: { status: 429, cut: true },
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

/** What they mean. Whether the provider recognises a repeat makes no difference: that is for the dispatcher to know. */
export function httpMishaps(): Record<Mishap, Outcome['kind']> {
  return {
    throttled: 'throttled',
    throttled_with_delay: 'throttled',
    throttled_absurdly: 'throttled',
    half_refusal: 'throttled',
    server_error: 'retry',
    gateway_timeout: 'ambiguous',
    error_page: 'retry',
    page_instead_of_answer: 'ambiguous',
    malformed_answer: 'ambiguous',
    empty_answer: 'ambiguous',
    half_answer: 'ambiguous',
    redirect: 'broken',
    dropped: 'ambiguous',
    dropped_after_accept: 'ambiguous',
    hang: 'ambiguous',
    hang_after_accept: 'ambiguous',
  };
}

/** A row of a provider's table of errors. */
export function says(answer: Answer): (bench: { simulator: HttpSimulator }) => void {
  return ({ simulator }) => {
    simulator.fault = answer;
  };
}
