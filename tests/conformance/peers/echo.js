// As much of the echo application as node's own server has: see README.md.
'use strict';
const http = require('http');

const known = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const plain = 'text/plain; charset=utf-8';

function answer(response, type, content) {
  response.writeHead(200, {'Content-Type': type, 'Content-Length': Buffer.byteLength(content)});
  response.end(content);
}

function serve(request, response, body) {
  const [raw, query = ''] = request.url.replace(/^http:\/\/[^/]*/i, '').split(/\?(.*)/s);
  let path = raw;
  try {
    path = decodeURIComponent(raw);
  } catch {
    // It stays as it came.
  }
  if (!known.includes(request.method)) {
    response.writeHead(request.method === 'TRACE' ? 405 : 501,
                       {'Content-Type': plain, 'Allow': known.join(', ')});
    return response.end('not here\n');
  }
  if (body.length > 0 || ['POST', 'PUT', 'PATCH', 'DELETE'].includes(request.method)) {
    return answer(response, 'application/octet-stream', body);
  }
  if (request.method === 'OPTIONS') {
    response.setHeader('Allow', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
    return answer(response, plain, '');
  }
  if (path === '//nope') {
    response.writeHead(404, {'Content-Type': plain});
    return response.end('not here\n');
  }
  if (/^\/path(\/|$)/.test(path)) return answer(response, plain, `${path}\n${query}\n`);
  switch (path) {
    case '/authority':
      return answer(response, plain, request.headers.host ?? '');
    case '/cookie':
      return answer(response, plain, (request.headers.cookie ?? '').replace(/; */g, '\n') +
                                         (request.headers.cookie ? '\n' : ''));
    case '/fields': {
      const fields = request.rawHeaders;
      let text = '';
      for (let i = 0; i < fields.length; i += 2) text += `${fields[i]}: ${fields[i + 1]}\n`;
      return answer(response, plain, text);
    }
    case '/large':
      return answer(response, plain, 'x'.repeat(Number(query.slice(2)) || 0));
    case '/nocontent':
      response.writeHead(204);
      return response.end();
    case '/notmodified':
      response.writeHead(304);
      return response.end();
    case '/chunked':
      response.writeHead(200, {'Content-Type': plain});
      for (let i = 0; i < 10; ++i) response.write(`${i}\n`);
      return response.end();
    default:
      return answer(response, plain, 'OK');
  }
}

http.createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => serve(request, response, Buffer.concat(pieces)));
}).listen(Number(process.argv[2]), '127.0.0.1');
