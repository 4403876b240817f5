package window

import (
	"encoding/json"
	"strconv"
	"strings"

	"longwatch/backend/api"
)

const (
	// largestEvent bounds what is sent to the page at once, in bytes: the
	// webview keeps what is larger.
	largestEvent = 4 << 10
	// mostLooked bounds how many things of one drop are looked at.
	mostLooked = 64
	// longestLink bounds how much of a link is shown, in bytes.
	longestLink = 200
)

// Codes of what was dropped and is no file, and of what was too much.
const (
	ProblemLink = "link"
	ProblemMany = "too_many"
)

// Offers has offer look at what was dropped. What can be a task comes first,
// in the order of the drop, then folders, then the rest, so that what is left
// out for the size of one event is what matters least.
func Offers(items []Item, offer func(path string) api.Offer) []api.Offer {
	var tasks, folders, rest []api.Offer
	for _, item := range items[:min(len(items), mostLooked)] {
		if item.Path == "" {
			rest = append(rest, api.Offer{Name: cut(item.Link), Problem: ProblemLink})
			continue
		}
		switch o := offer(item.Path); {
		case o.Problem != "":
			rest = append(rest, o)
		case o.Folder:
			folders = append(folders, o)
		default:
			tasks = append(tasks, o)
		}
	}
	all := append(append(tasks, folders...), rest...)
	return fit(all, len(items))
}

// fit keeps as many offers as one event can carry, and says how many of total
// it left out.
func fit(all []api.Offer, total int) []api.Offer {
	const reserve = 512 // for the event's frame and for the last offer
	size, n := 0, 0
	for n < len(all) {
		b, err := json.Marshal(all[n])
		if size += len(b) + 1; err != nil || size > largestEvent-reserve {
			break
		}
		n++
	}
	if n < total {
		return append(all[:n:n], api.Offer{Name: strconv.Itoa(total - n), Problem: ProblemMany})
	}
	return all
}

func cut(link string) string {
	link = strings.ToValidUTF8(link, "\ufffd")
	if len(link) <= longestLink {
		return link
	}
	return strings.ToValidUTF8(link[:longestLink], "") + " …"
}
