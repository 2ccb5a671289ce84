# As much of the echo application as nginx's perl can have: see README.md.
package Echo;

use strict;
use warnings;
use nginx;

my $plain = 'text/plain; charset=utf-8';

sub answer {
    my ($request, $type, $content) = @_;
    $request->header_out('Content-Length', length $content);
    $request->send_http_header($type);
    $request->print($content) unless $request->header_only;
    return OK;
}

sub handler {
    my $request = shift;
    # A body has to be read, whoever wants it.
    return OK if $request->has_request_body(\&serve);
    return serve($request);
}

sub serve {
    my $request = shift;
    my $path = $request->uri;
    my $query = $request->args // '';
    my $body = $request->request_body // '';
    my $method = $request->request_method;
    return 501 if $method !~ /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;
    return 404 if $path eq '/nope';
    if ($body ne '' || $method =~ /^(POST|PUT|PATCH|DELETE)$/) {
        return answer($request, 'application/octet-stream', $body);
    }
    if ($method eq 'OPTIONS') {
        $request->header_out('Allow', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
        return answer($request, $plain, '');
    }
    return answer($request, $plain, "$path\n$query\n") if $path =~ m{^/path(/|$)};
    return answer($request, $plain, 'x' x ($query =~ /^n=(\d{1,8})$/ ? $1 : 0)) if $path eq '/large';
    return 204 if $path eq '/nocontent';
    return 500 if $path eq '/throw';
    if ($path eq '/cookie') {
        my $cookies = $request->header_in('Cookie') // '';
        return answer($request, $plain, join('', map { "$_\n" } split /; */, $cookies));
    }
    if ($path eq '/chunked') {
        $request->send_http_header($plain);
        return OK if $request->header_only;
        $request->print("$_\n") for 0 .. 9;
        return OK;
    }
    return answer($request, $plain, 'OK');
}

1;
